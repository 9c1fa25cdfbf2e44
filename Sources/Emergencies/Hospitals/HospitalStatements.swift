import Bytes
import Domain
import Postgres
import Sharing
import Time

/// A hospital's position, and whether it is on duty, as the hospital reports it.
struct HospitalRow: Sendable, PlacedHospital {
  let account: AccountID
  let approvedAt: Instant?
  let isOnDuty: Bool
  let position: GeoPoint?

  static let columnList: StaticString = """
    account_id, approved_at, is_on_duty, latitude_e7, longitude_e7
    """
  static let columns = Columns {
    (
      account: AccountID, approvedAt: Instant?, isOnDuty: Bool, latitude: Int32?,
      longitude: Int32?
    ) throws(PostgresError) in
    let position = try GeoPoint.stored(latitude, longitude)
    return HospitalRow(
      account: account, approvedAt: approvedAt, isOnDuty: isOnDuty, position: position)
  }
}

extension GeoPoint {
  /// A position from two columns, in ten-millionths of a degree; nil if they are null.
  ///
  /// - Throws: `unexpectedResult` for coordinates outside the globe, which the columns' constraints
  ///   rule out.
  static func stored(_ latitude: Int32?, _ longitude: Int32?) throws(PostgresError) -> GeoPoint? {
    guard let latitude, let longitude else { return nil }
    do throws(GeoPointError) {
      return try GeoPoint(latitudeE7: latitude, longitudeE7: longitude)
    } catch { throw .unexpectedResult("a position is off the globe") }
  }
}

/// The stored row of a hospital; no row for a third party that never was one.
struct HospitalOf: Statement {
  typealias Row = HospitalRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: HospitalRow.columnList)
      FROM data4help.hospitals
     WHERE account_id = \(\.account)
    """
  static let columns = HospitalRow.columns
  let account: AccountID
}

extension HospitalRow? {
  /// Whether the operator has approved the third party, or the installation admits all (SOS-12).
  func isAdmitted(_ settings: EmergencySettings) -> Bool {
    settings.areAllAdmitted || self?.approvedAt != nil
  }
}

/// Stores the duty and position of a hospital; no row for a deleted account.
struct ChooseDuty: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.hospitals AS hospital (
           account_id, is_on_duty, latitude_e7, longitude_e7, changed_at)
    SELECT account.account_id, \(\.isOnDuty), \(\.latitude), \(\.longitude), \(\.now)
      FROM data4help.accounts AS account
     WHERE account.account_id = \(\.account)
       FOR KEY SHARE
        ON CONFLICT (account_id) DO UPDATE
       SET is_on_duty = excluded.is_on_duty, latitude_e7 = excluded.latitude_e7,
           longitude_e7 = excluded.longitude_e7, changed_at = excluded.changed_at
    RETURNING hospital.account_id
    """
  let account: AccountID
  let isOnDuty: Bool
  let latitude: Int32?
  let longitude: Int32?
  let now: Instant
}

/// The hospitals that may be called for an emergency: on duty, not called for it yet, and approved
/// unless approval is not required. There are few of them.
struct HospitalsToCall: Statement {
  typealias Row = HospitalRow
  static let sql: SQL<Self> = """
    SELECT account_id, approved_at, is_on_duty, latitude_e7, longitude_e7
      FROM data4help.hospitals AS hospital
     WHERE is_on_duty
       AND (approved_at IS NOT NULL OR \(\.areAllAdmitted))
       AND NOT EXISTS (
             SELECT
               FROM data4help.emergency_calls AS call
              WHERE call.emergency_id = \(\.id)
                AND call.hospital_id = hospital.account_id)
     ORDER BY account_id
    """
  static let columns = HospitalRow.columns
  let id: UniversalID
  let areAllAdmitted: Bool
}

/// Approves a hospital, or withdraws the approval and ends its duty.
struct ApproveHospital: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.hospitals AS hospital (account_id, approved_at, changed_at)
    SELECT account.account_id, \(\.approvedAt), \(\.now)
      FROM data4help.accounts AS account
     WHERE account.account_id = \(\.account)
       AND account.kind = 2
       FOR KEY SHARE
        ON CONFLICT (account_id) DO UPDATE
       SET approved_at = excluded.approved_at, changed_at = excluded.changed_at,
           is_on_duty = hospital.is_on_duty AND excluded.approved_at IS NOT NULL
    RETURNING hospital.account_id
    """
  let account: AccountID
  let approvedAt: Instant?
  let now: Instant
}

/// A call for an emergency: to a hospital, or by voice.
struct EmergencyCallRow: Sendable {
  let id: UniversalID
  let number: Int32
  let hospital: AccountID?
  let isVoice: Bool
  let calledAt: Instant
  let acknowledgedAt: Instant?
  /// The time at which a voice call was ended because its emergency was over.
  let withdrawnAt: Instant?

  static let columns = Columns(EmergencyCallRow.init)
}

/// Stores a call for an emergency under its next number.
struct EnterCall: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    INSERT INTO data4help.emergency_calls (emergency_id, number, hospital_id, is_voice, called_at)
    SELECT \(\.id), coalesce(max(number), 0) + 1, \(\.hospital), \(\.isVoice), \(\.now)
      FROM data4help.emergency_calls
     WHERE emergency_id = \(\.id)
    RETURNING number
    """
  let id: UniversalID
  let hospital: AccountID?
  let isVoice: Bool
  let now: Instant
}

/// The calls for these emergencies, in their order.
struct CallsOf: Statement {
  typealias Row = EmergencyCallRow
  static let sql: SQL<Self> = """
    SELECT emergency_id, number, hospital_id, is_voice, called_at, acknowledged_at, withdrawn_at
      FROM data4help.emergency_calls
     WHERE emergency_id = ANY (\(\.ids))
     ORDER BY emergency_id, number
    """
  static let columns = EmergencyCallRow.columns
  let ids: [UniversalID]
}

/// Stores that a hospital has acknowledged its call.
struct NoteAcknowledged: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergency_calls
       SET acknowledged_at = \(\.now)
     WHERE hospital_id = \(\.hospital)
       AND emergency_id = \(\.id)
    """
  let hospital: AccountID
  let id: UniversalID
  let now: Instant
}

/// The account of an emergency that a hospital was called for; no row if it was not. By the index
/// on both.
struct CalledFor: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT emergency.account_id
      FROM data4help.emergency_calls AS call
      JOIN data4help.emergencies AS emergency USING (emergency_id)
     WHERE call.hospital_id = \(\.hospital)
       AND call.emergency_id = \(\.id)
    """
  let hospital: AccountID
  let id: UniversalID
}

/// Adds events to hospitals' sequences: they are called, or a call is over.
struct EnterEmergencyEvents: Statement {
  static let sql: SQL<Self> = """
    WITH needed AS (
      SELECT third_party_id, 1::int8 AS count
        FROM unnest(\(\.hospitals)) AS asked (third_party_id)),
    \(fragment: NumberSQL.given)
    INSERT INTO data4help.third_party_log (
           third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at,
           kind, reason)
    SELECT third_party_id, next_seq - 1, next_seq - 1, \(\.id), 0, 0, \(\.now), \(\.kind),
           \(\.reason)
      FROM given
    """
  let id: UniversalID
  /// Each once.
  let hospitals: [AccountID]
  let kind: LogKind
  let reason: EmergencyEnd?
  let now: Instant
}

/// Why a call to a hospital is over; the raw value is that of the column.
enum EmergencyEnd: Int16, PostgresValue {
  case falseAlarm = 1
  case takenOver = 2
  case closed = 3
  case unanswered = 4
  case heardAtNumber = 5

  /// The texts in the API.
  var apiName: String {
    switch self {
    case .falseAlarm: "false alarm"
    case .takenOver: "another hospital has it"
    case .closed: "closed"
    case .unanswered: "nobody answered"
    case .heardAtNumber: "the emergency number has it"
    }
  }
}

/// The newest stored position of a person, in the chunk that contains it. By the primary key.
struct NewestPositionChunk: Statement {
  struct Row: Sendable {
    let day: Int32
    let part: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT day, part, data
      FROM data4help.chunks
     WHERE account_id = \(\.account)
       AND type = \(\.type)
     ORDER BY day DESC, part DESC
     LIMIT 1
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let type = DataType.position
}
