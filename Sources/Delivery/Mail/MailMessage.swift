import EventLoop
import JSON
import Privacy

/// A mail: who, to whom, what. Its identifier stays the same over all attempts to send it.
package struct MailMessage: Sendable, Equatable {
  /// The identifier, which sorts by time; the Message-ID follows from it.
  package let id: UniversalID
  /// When it was written; the Date of every attempt.
  package let writtenAt: WallTime
  /// The sender.
  package let from: MailAddress
  /// The only recipient.
  package let to: MailAddress
  /// The subject; line breaks in it become spaces.
  package let subject: String
  /// The text, in lines.
  package let text: String

  /// A new mail, written now.
  package init(
    from: MailAddress, to: MailAddress, subject: String, text: String, world: World
  ) {
    let now = world.now()
    self.init(
      id: .ordered(millisecondsSince1970: now.millisecondsSince1970), writtenAt: now, from: from,
      to: to, subject: subject, text: text)
  }

  /// A mail of its parts.
  package init(
    id: UniversalID, writtenAt: WallTime, from: MailAddress, to: MailAddress, subject: String,
    text: String
  ) {
    self.id = id
    self.writtenAt = writtenAt
    self.from = from
    self.to = to
    self.subject = subject
    self.text = text
  }

  /// The Message-ID, without angle brackets: the same for each attempt, so that one that was
  /// repeated can be recognised.
  package var messageID: String { "\(id)@\(from.domain)" }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
  /// The identifier, and nothing of the contents.
  package var description: String { "MailMessage(\(id))" }

  /// Shows nothing.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

// How a mail stands in the queue.
extension MailMessage {
  /// Where a queued mail's sealed form belongs.
  static func sealContext(_ id: UniversalID) -> SealContext {
    SealContext(table: "mails", column: "sealed_message", row: SealRow(id))
  }

  func sealed(under key: SealingKey) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("from", from.text)
      $0.field("to", to.text)
      $0.field("subject", subject)
      $0.field("text", text)
    }
    return key.seal(writer.bytes.span, for: Self.sealContext(id))
  }

  /// Opens a queued mail; nil if it was sealed under another key or for another row.
  init?(_ row: LeasedMail, under key: SealingKey) {
    guard
      let bytes = try? key.open(row.sealed.span, for: Self.sealContext(row.id)),
      let stored = try? JSONReader.read(StoredMail.self, from: bytes),
      let from = MailAddress(stored.from), let to = MailAddress(stored.to)
    else { return nil }
    self.init(
      id: row.id, writtenAt: row.queuedAt, from: from, to: to, subject: stored.subject,
      text: stored.text)
  }
}

private struct StoredMail: JSONReadable {
  var from = ""
  var to = ""
  var subject = ""
  var text = ""

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "from": from = try reader.string()
      case "to": to = try reader.string()
      case "subject": subject = try reader.string()
      case "text": text = try reader.string()
      default: break
      }
    }
  }
}
