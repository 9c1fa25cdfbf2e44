import AutomatedSOS
import Bytes
import Cryptography
import Domain
import Operations
import Postgres
import ServiceKit
import Telephony
import Time

/// A call to an emergency contact.
struct ContactCall: Sendable {
  /// The person's name for the contact.
  let name: String
  /// The identifier of the stored attempt; nil while it can't be stored.
  var record: UniversalID?
  let call: VoiceCall
}

/// A call to an emergency contact, as stored.
struct ContactCallRow: Sendable {
  let id: UniversalID
  let emergency: UniversalID
  let sealedName: [UInt8]
  let calledAt: Instant
  let acknowledgedAt: Instant?
  let withdrawnAt: Instant?

  static let columns = Columns(ContactCallRow.init)

  /// The name of the contact.
  ///
  /// - Throws: `internalError` if it was not sealed for this call.
  func name(under key: SealingKey) throws(ApplicationError) -> String {
    try mapStorageError { () throws(CryptographyError) in
      try key.openText(sealedName.span, for: Self.context(id))
    }
  }

  static func context(_ id: UniversalID) -> SealContext {
    SealContext(table: "emergency_contact_calls", column: "sealed_name", row: SealRow(id))
  }
}

/// Stores calls to a person's contacts, the first ones up to the limit of calls since a time;
/// returns the stored ones. By the index on the account, which is locked.
struct EnterContactCalls: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.emergency_contact_calls (
           call_id, emergency_id, account_id, sealed_name, called_at)
    SELECT asked.call_id, asked.emergency_id, \(\.account), asked.sealed_name, \(\.now)
      FROM unnest(\(\.ids), \(\.emergencies), \(\.names))
             WITH ORDINALITY AS asked (call_id, emergency_id, sealed_name, place)
     WHERE asked.place + (SELECT count(*)
                            FROM data4help.emergency_contact_calls AS earlier
                           WHERE earlier.account_id = \(\.account)
                             AND earlier.called_at > \(\.since)) <= \(\.countMax)
    RETURNING call_id
    """
  let account: AccountID
  let since: Instant
  let countMax: Int64
  let now: Instant
  var ids: [UniversalID] = []
  var emergencies: [UniversalID] = []
  var names: [[UInt8]] = []
}

/// The calls to contacts for these emergencies, in their order.
struct ContactCallsOf: Statement {
  typealias Row = ContactCallRow
  static let sql: SQL<Self> = """
    SELECT call_id, emergency_id, sealed_name, called_at, acknowledged_at, withdrawn_at
      FROM data4help.emergency_contact_calls
     WHERE emergency_id = ANY (\(\.ids))
     ORDER BY emergency_id, called_at, call_id
    """
  static let columns = ContactCallRow.columns
  let ids: [UniversalID]
}

/// Stores that a contact has heard a call, or that it was ended from this side.
struct NoteContactCall: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergency_contact_calls
       SET acknowledged_at = \(\.acknowledgedAt), withdrawn_at = \(\.withdrawnAt)
     WHERE call_id = \(\.id)
    """
  let id: UniversalID
  let acknowledgedAt: Instant?
  let withdrawnAt: Instant?
}
