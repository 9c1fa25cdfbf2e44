import Bytes
import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

/// The purpose of a mail to an emergency contact; the raw value is that of the column.
enum ContactMailKind: Int16, PostgresValue, CaseIterable {
  /// It asks whether they agree to be a contact.
  case question = 1
  /// It reports an emergency.
  case emergency = 2
  /// It reports the end of an emergency.
  case allClear = 3
}

/// A mail to an emergency contact, as stored.
struct ContactMailRow: Sendable {
  let id: UniversalID
  /// Nil for the mail that asks.
  let emergency: UniversalID?
  let kind: ContactMailKind
  let sealedName: [UInt8]
  let queuedAt: Instant

  static let columns = Columns(ContactMailRow.init)

  /// The name of the contact.
  ///
  /// - Throws: `internalError` if it was not sealed for this mail.
  func name(under key: SealingKey) throws(ApplicationError) -> String {
    try mapStorageError { () throws(CryptographyError) in
      try key.openText(sealedName.span, for: Self.context(id))
    }
  }

  static func context(_ id: UniversalID) -> SealContext {
    SealContext(table: "emergency_contact_mails", column: "sealed_name", row: SealRow(id))
  }

  static func addressContext(_ id: UniversalID) -> SealContext {
    SealContext(table: "emergency_contact_mails", column: "sealed_address", row: SealRow(id))
  }
}

/// The number of mails to the contacts of a person since a time, in total and of one kind. By the
/// index on the account, which is locked.
struct ContactMailsSince: Statement {
  struct Row: Sendable {
    let ofAll: Int64
    let ofKind: Int64
  }
  static let sql: SQL<Self> = """
    SELECT count(*), count(*) FILTER (WHERE kind = \(\.kind))
      FROM data4help.emergency_contact_mails
     WHERE account_id = \(\.account)
       AND queued_at > \(\.since)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let since: Instant
  let kind: ContactMailKind
}

/// Stores mails to the contacts of a person.
struct EnterContactMails: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.emergency_contact_mails (
           mail_id, account_id, emergency_id, kind, contact, sealed_name, sealed_address, queued_at)
    SELECT mail_id, \(\.account), \(\.emergency), \(\.kind), contact, sealed_name, sealed_address,
           \(\.now)
      FROM unnest(\(\.ids), \(\.contacts), \(\.names), \(\.addresses))
             AS given (mail_id, contact, sealed_name, sealed_address)
    """
  let account: AccountID
  let emergency: UniversalID?
  let kind: ContactMailKind
  let now: Instant
  var ids: [UniversalID] = []
  var contacts: [BlindValue] = []
  var names: [[UInt8]] = []
  var addresses: [[UInt8]] = []
}

/// The mails to contacts for these emergencies, in their order. By the index on the emergency.
struct ContactMailsOf: Statement {
  typealias Row = ContactMailRow
  static let sql: SQL<Self> = """
    SELECT mail_id, emergency_id, kind, sealed_name, queued_at
      FROM data4help.emergency_contact_mails
     WHERE emergency_id = ANY (\(\.ids))
     ORDER BY emergency_id, queued_at, mail_id
    """
  static let columns = ContactMailRow.columns
  let ids: [UniversalID]
}

/// The contacts who were mailed about an emergency and have not declined since. By the index on the
/// emergency.
struct NotifiedContacts: Statement {
  struct Row: Sendable {
    let mail: UniversalID
    let contact: BlindValue
    let sealedName: [UInt8]
    let sealedAddress: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT mail.mail_id, mail.contact, mail.sealed_name, mail.sealed_address
      FROM data4help.emergency_contact_mails AS mail
      JOIN data4help.emergency_contacts AS contact USING (account_id, contact)
     WHERE mail.emergency_id = \(\.emergency)
       AND mail.kind = 2
       AND contact.state <> 3
     ORDER BY mail.queued_at, mail.mail_id
    """
  static let columns = Columns(Row.init)
  let emergency: UniversalID
}
