import Bytes
import Cryptography
import EventLoop
import JSON
import Time

/// A mail with sender, recipient and content. All attempts to send it use the same identifier.
package struct MailMessage: Sendable, Equatable {
  /// The identifier, sortable by time; the Message-ID is derived from it.
  package let id: UniversalID
  /// When the mail was written; the Date header of every attempt.
  package let writtenAt: Instant
  package let from: MailAddress
  /// The only recipient.
  package let to: MailAddress
  /// The subject; line breaks in it become spaces.
  package let subject: String
  package let text: String
  /// The attached file, if any.
  package let attachment: MailAttachment?

  /// A new mail, written at the current time.
  package init(
    from: MailAddress, to: MailAddress, subject: String, text: String,
    attachment: MailAttachment? = nil, environment: Environment
  ) {
    let now = environment.now()
    self.init(
      id: .ordered(millisecondsSince1970: now.millisecondsSince1970), writtenAt: now, from: from,
      to: to, subject: subject, text: text, attachment: attachment)
  }

  /// A mail with an existing identifier and time.
  package init(
    id: UniversalID, writtenAt: Instant, from: MailAddress, to: MailAddress, subject: String,
    text: String, attachment: MailAttachment? = nil
  ) {
    self.id = id
    self.writtenAt = writtenAt
    self.from = from
    self.to = to
    self.subject = subject
    self.text = text
    self.attachment = attachment
  }

  /// The Message-ID without angle brackets. It is the same in each attempt, so that a recipient can
  /// recognise a repeated one.
  package var messageID: String { "\(id)@\(from.domain)" }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
  /// Shows the identifier and hides the content.
  package var description: String { "MailMessage(\(id))" }

  /// Hides the content.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

// The stored form of a mail in the queue.
extension MailMessage {
  /// The context that binds a sealed mail to its row.
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
      if let attachment {
        var encoded: [UInt8] = []
        Base64.standard.append(attachment.bytes.span, to: &encoded)
        $0.field("attachmentName", attachment.name)
        $0.field("attachmentType", attachment.contentType)
        $0.field("attachment", String(decoding: encoded, as: UTF8.self))
      }
    }
    return key.seal(writer.bytes.span, for: Self.sealContext(id))
  }

  /// Unseals a queued mail; nil if it was sealed under another key or for another row.
  init?(_ row: LeasedMail, under key: SealingKey) {
    guard
      let bytes = try? key.open(row.sealed.span, for: Self.sealContext(row.id)),
      let stored = try? JSONReader.read(StoredMail.self, from: bytes, limits: Self.storedMax),
      let from = MailAddress(stored.from), let to = MailAddress(stored.to)
    else { return nil }
    self.init(
      id: row.id, writtenAt: row.queuedAt, from: from, to: to, subject: stored.subject,
      text: stored.text, attachment: stored.file)
  }

  /// Base64 makes a file a third longer; the rest of a mail is short.
  private static let storedMax = JSONLimits(
    bytesMax: 2 * MailAttachment.bytesMax, stringBytesMax: 2 * MailAttachment.bytesMax)
}

private struct StoredMail: JSONReadable {
  var from = ""
  var to = ""
  var subject = ""
  var text = ""
  var attachmentName = ""
  var attachmentType = ""
  var attachment: String?

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "from": from = try reader.string()
      case "to": to = try reader.string()
      case "subject": subject = try reader.string()
      case "text": text = try reader.string()
      case "attachmentName": attachmentName = try reader.string()
      case "attachmentType": attachmentType = try reader.string()
      case "attachment": attachment = try reader.string()
      default: break
      }
    }
  }

  var file: MailAttachment? {
    guard let bytes = attachment.flatMap({ Base64.standard.decode($0.utf8Span.span) }) else {
      return nil
    }
    return MailAttachment(name: attachmentName, contentType: attachmentType, bytes: bytes)
  }
}
