import Domain
import JSON

/// A mail as people read it.
package struct MailText: Sendable, Hashable {
  /// Characters of a subject at most.
  package static let subjectLengthMax = 200
  /// One line.
  package let subject: String
  /// What it says, in lines.
  package let text: String

  /// A mail of these words.
  package init(subject: String, text: String) {
    self.subject = subject
    self.text = text
  }
}

/// Something about a run that accounts are to be told (NTF-1, RUN-2, RUN-13): a notice of the kind
/// `run` in their lists and on their streams, and a mail of these words to who wants notices of
/// runs by mail.
///
/// Sent with an `Idempotency-Key`, under which it is carried out once in 24 hours.
package struct NoticeOrder: Sendable, Hashable {
  /// Accounts of one order at most.
  package static let countMax = 500
  /// Facts of a notice at most.
  package static let factsMax = 30

  /// Who is told; those that are gone are passed over.
  package let accounts: [AccountID]
  /// What the notice says: the fields of its object, by their names.
  package let facts: [String: String]
  /// The words of the mail; nil for the mail that every notice gets which no stream takes in time.
  package let mail: MailText?

  /// An order about at most `countMax` accounts.
  package init(to accounts: [AccountID], facts: [String: String], mail: MailText?) {
    self.accounts = accounts
    self.facts = facts
    self.mail = mail
  }
}

/// A mail to addresses that somebody gave, as invitations to a run are; repeatable as a
/// `NoticeOrder` is.
package struct MailOrder: Sendable, Hashable {
  /// Addresses of one order at most.
  package static let countMax = 100
  /// To whom, each on its own.
  package let addresses: [EmailAddress]
  /// The words.
  package let mail: MailText

  /// A mail to at most `countMax` addresses.
  package init(to addresses: [EmailAddress], _ mail: MailText) {
    self.addresses = addresses
    self.mail = mail
  }
}

extension NoticeOrder: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var accounts: [AccountID]?
    var facts: [String: String]?
    var mail: MailText?
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
    var mail: MailText?
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
