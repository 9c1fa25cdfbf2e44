import Domain
import JSON
import PublicAPI
import ServiceKit
import Time

/// The text of a mail.
package struct MailText: Sendable, Hashable {
  /// The maximum length of a subject in characters.
  package static let subjectLengthMax = 200
  /// One line.
  package let subject: String
  /// The body, in lines.
  package let text: String

  /// A mail with this text.
  package init(subject: String, text: String) {
    self.subject = subject
    self.text = text
  }
}

/// A mail in both languages. Its times are marked, and formatted for each reader when the mail is
/// sent (NTF-3).
package struct ReaderMail: Sendable, Hashable {
  /// The mail in Italian.
  package let italian: MailText
  /// The mail in English.
  package let english: MailText

  /// A mail with these texts.
  package init(italian: MailText, english: MailText) {
    self.italian = italian
    self.english = english
  }

  // Control characters, which names can't contain.
  private static let (begin, end) = (Character("\u{2}"), Character("\u{3}"))

  /// The form of a time in a text until the reader's locale is known.
  package static func marked(_ time: Instant) -> String { "\(begin)\(time)\(end)" }

  /// The mail for a reader. A marked time that can't be read stays as it is (`timeError`).
  package func text(for locale: ReaderLocale) -> MailText {
    let own = locale.language == .italian ? italian : english
    return MailText(
      subject: Self.formatted(own.subject, for: locale),
      text: Self.formatted(own.text, for: locale))
  }

  /// Why a marked time of the mail can't be read; nil if all can. Log it for a mail that was stored
  /// or received.
  package var timeError: InstantError? {
    for text in [italian.subject, italian.text, english.subject, english.text] {
      for case .unreadable(_, let error) in Self.parts(of: text) { return error }
    }
    return nil
  }

  /// A part of a text with marked times.
  private enum Part {
    case plain(Substring)
    case time(Instant)
    case unreadable(String, InstantError)
  }

  private static func formatted(_ text: String, for locale: ReaderLocale) -> String {
    var result = ""
    for part in parts(of: text) {
      switch part {
      case .plain(let plain): result += plain
      case .time(let time): result += locale.text(time)
      case .unreadable(let marked, _): result += marked
      }
    }
    return result
  }

  private static func parts(of text: String) -> [Part] {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: begin), let end = rest[start...].firstIndex(of: end) {
      parts.append(.plain(rest[..<start]))
      let marked = String(rest[rest.index(after: start)..<end])
      do throws(InstantError) {
        parts.append(.time(try Instant(utf8: marked.utf8Span.span)))
      } catch {
        parts.append(.unreadable(marked, error))
      }
      rest = rest[rest.index(after: end)...]
    }
    parts.append(.plain(rest))
    return parts
  }
}

extension ReaderMail: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var italian: MailText?
    var english: MailText?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "italian": italian = try reader.value()
      case "english": english = try reader.value()
      default: break
      }
    }
    self.init(
      italian: try reader.mandatory("italian", italian),
      english: try reader.mandatory("english", english))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("italian", italian)
      writer.field("english", english)
    }
  }
}

/// A notification about a run (NTF-1, RUN-2, RUN-13): a notice of the kind `run` in the lists and
/// on the streams of accounts, and this mail to accounts that want notices of runs by mail.
///
/// Sent with an `Idempotency-Key`, under which it is executed once in 24 hours.
package struct NoticeOrder: Sendable, Hashable {
  /// The maximum number of accounts in one order.
  package static let countMax = 500
  /// The maximum number of facts in a notice.
  package static let factsMax = 30

  /// The recipients; deleted accounts are skipped.
  package let accounts: [AccountID]
  /// The content of the notice: the fields of its object, by their names.
  package let facts: [String: String]
  /// The mail; nil for the standard mail of a notice that no stream delivered in time.
  package let mail: ReaderMail?

  /// An order about at most `countMax` accounts.
  package init(to accounts: [AccountID], facts: [String: String], mail: ReaderMail?) {
    self.accounts = accounts
    self.facts = facts
    self.mail = mail
  }
}

/// A mail to addresses that an organiser or runner entered, such as an invitation to a run;
/// repeatable like a `NoticeOrder`.
package struct MailOrder: Sendable, Hashable {
  /// The maximum number of addresses in one order.
  package static let countMax = 100
  /// The recipients, each with a separate mail.
  package let addresses: [EmailAddress]
  /// The text.
  package let mail: ReaderMail

  /// A mail to at most `countMax` addresses.
  package init(to addresses: [EmailAddress], _ mail: ReaderMail) {
    self.addresses = addresses
    self.mail = mail
  }
}

extension NoticeOrder: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var accounts: [AccountID]?
    var facts: [String: String]?
    var mail: ReaderMail?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "accounts": accounts = try reader.accounts(countMax: Self.countMax)
      case "facts": facts = try Self.facts(&reader)
      case "mail": mail = try reader.value()
      default: break
      }
    }
    self.init(
      to: try reader.mandatory("accounts", accounts), facts: try reader.mandatory("facts", facts),
      mail: mail)
  }

  private static func facts(
    _ reader: inout JSONReader
  ) throws(JSONError) -> [String: String] {
    var facts: [String: String] = [:]
    try reader.beginObject()
    while let key = try reader.nextField() { facts[key.text] = try reader.string() }
    guard facts.count <= factsMax else { throw reader.refusal("A notice has 30 facts at most.") }
    return facts
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("accounts", accounts.map(\.rawValue))
      writer.object("facts") { writer in
        for (name, text) in facts.sorted(by: { $0.key < $1.key }) { writer.field(name, text) }
      }
      writer.fieldIfPresent("mail", mail)
    }
  }
}

extension MailOrder: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var addresses: [EmailAddress]?
    var mail: ReaderMail?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "addresses": addresses = try Self.addresses(&reader)
      case "mail": mail = try reader.value()
      default: break
      }
    }
    self.init(
      to: try reader.mandatory("addresses", addresses), try reader.mandatory("mail", mail))
  }

  private static func addresses(
    _ reader: inout JSONReader
  ) throws(JSONError) -> [EmailAddress] {
    var addresses: [EmailAddress] = []
    try reader.beginArray(countMax: countMax)
    while try reader.nextElement() {
      addresses.append(
        try reader.parsed { text throws(EmailAddressError) in try EmailAddress(utf8: text) })
    }
    return addresses
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("addresses", addresses.map(\.text))
      writer.field("mail", mail)
    }
  }
}

extension MailText: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var subject: String?
    var text: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "subject": subject = try reader.string(of: 1...Self.subjectLengthMax)
      case "text": text = try reader.string()
      default: break
      }
    }
    self.init(
      subject: try reader.mandatory("subject", subject), text: try reader.mandatory("text", text))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("subject", subject)
      writer.field("text", text)
    }
  }
}
