import Accounts
import Bytes
import Cryptography
import Domain
import Postgres
import ServiceKit
import Sharing
import Time

// The entries of an emergency in the access record (REQ-5, NFR-6): each mail, each call and each
// acknowledgement. In place of a request's identifier they have that of the emergency, or of the
// mail or call to a contact.

extension AccessedData {
  /// A message of an emergency, with its readings and position, as sent to a hospital.
  init(
    _ message: EmergencyMessage, to hospital: AccountID, _ format: AccessFormat, at time: Instant
  ) {
    let details = message.details
    var types = DataTypeSet(details.readings.lazy.map(\.type))
    if details.position != nil { types = types.union(DataTypeSet([.position])) }
    self.init(
      message.row.account, message.row.id, to: hospital, format, types,
      count: details.readings.count + (details.position == nil ? 0 : 1), at: time)
  }

  /// A message to a recipient without an account: that there is an emergency and where, and its
  /// rule if `namesRule`.
  init(
    _ message: EmergencyMessage, _ id: UniversalID, _ format: AccessFormat, namesRule: Bool,
    at time: Instant
  ) {
    let types = namesRule ? message.typesOfShortMessage : message.typesOfPlace
    self.init(
      message.row.account, id, to: .noAccount, format, types, count: types.count, at: time)
  }

  /// An entry of an emergency, or of a mail or call to a contact, with this identifier.
  init(
    _ account: AccountID, _ id: UniversalID, to recipient: AccountID, _ format: AccessFormat,
    _ types: DataTypeSet = .none, count: Int = 0, at time: Instant
  ) {
    self.init(
      account: account, thirdParty: recipient,
      requestID: DataRequestID(high: id.high, low: id.low), time: time, format: format,
      types: types, firstNumber: 0, lastNumber: 0, count: count)
  }
}

extension EmergencyMessage {
  /// The data types that the place in a message discloses.
  fileprivate var typesOfPlace: DataTypeSet {
    details.position == nil ? .none : DataTypeSet([.position])
  }

  /// The data types that a message without readings discloses: those of the place and of the rule.
  var typesOfShortMessage: DataTypeSet { typesOfPlace.union(row.rule.types) }
}

/// Stores that a hospital reads its calls, and returns the emergencies that it has not read within
/// the last minute. Only these become entries in the access record, so that a hospital that polls
/// every second leaves one entry per minute. By the index on both.
struct NoteCallsRead: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    UPDATE data4help.emergency_calls
       SET read_at = \(\.now)
     WHERE hospital_id = \(\.hospital)
       AND emergency_id = ANY (\(\.ids))
       AND (read_at IS NULL OR read_at <= \(\.before))
    RETURNING emergency_id
    """
  let hospital: AccountID
  let ids: [UniversalID]
  let now: Instant
  let before: Instant
}

/// Resolves identifiers in a person's access record: an emergency, or a mail or call to a contact
/// with the sealed name. No row for requests. By the primary keys.
struct EmergencyOfAccesses: Statement {
  struct Row: Sendable {
    let id: UniversalID
    /// Nil for the mail that asks a contact for agreement.
    let emergency: UniversalID?
    let sealedName: [UInt8]?
    let isMail: Bool
  }
  static let sql: SQL<Self> = """
    SELECT emergency_id, emergency_id, NULL::bytea, false
      FROM data4help.emergencies
     WHERE emergency_id = ANY (\(\.ids))
       AND account_id = \(\.account)
     UNION ALL
    SELECT call_id, emergency_id, sealed_name, false
      FROM data4help.emergency_contact_calls
     WHERE call_id = ANY (\(\.ids))
       AND account_id = \(\.account)
     UNION ALL
    SELECT mail_id, emergency_id, sealed_name, true
      FROM data4help.emergency_contact_mails
     WHERE mail_id = ANY (\(\.ids))
       AND account_id = \(\.account)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let ids: [UniversalID]
}

/// Resolves identifiers in a person's access record.
package struct EmergenciesOfAccesses: AccessedEmergencySource {
  private let database: Database
  private let accountKeys: AccountKeys

  /// Emergencies of this database.
  package init(database: Database, accountKeys: AccountKeys) {
    self.database = database
    self.accountKeys = accountKeys
  }

  package func named(
    by ids: [UniversalID], of account: AccountID
  ) async throws(ApplicationError) -> [UniversalID: AccessedEmergency] {
    let rows = try await database.rows(EmergencyOfAccesses(account: account, ids: ids))
    guard !rows.isEmpty else { return [:] }
    let key = try await accountKeys.key(of: account)
    var found: [UniversalID: AccessedEmergency] = [:]
    for row in rows {
      let context =
        row.isMail ? ContactMailRow.context(row.id) : ContactCallRow.context(row.id)
      let contact = try row.sealedName.map { (sealed) throws(ApplicationError) in
        try mapStorageError { () throws(CryptographyError) in
          try key.openText(sealed.span, for: context)
        }
      }
      found[row.id] = AccessedEmergency(id: row.emergency, contact: contact)
    }
    return found
  }
}
