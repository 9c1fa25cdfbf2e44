import Accounts
import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Time

/// A hospital on duty, with everything that this process needs to call it without a database.
struct CallableHospital: Sendable, PlacedHospital {
  let account: AccountID
  let position: GeoPoint?
  let endpoint: CallbackEndpoint
}

/// The hospitals on duty with a callback, as last read. There are few of them. Only for its loop.
final class CallableHospitals {
  /// How often they are read while the database answers.
  static let pause = Duration.seconds(5)

  private(set) var all: [CallableHospital] = []
  private let loop: EventLoop
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let areAllAdmitted: Bool
  private var readAt: MonotonicInstant?
  private let count: Gauge

  init(
    loop: EventLoop, database: Database, accountKeys: AccountKeys, log: Log, metrics: Metrics,
    areAllAdmitted: Bool
  ) {
    self.loop = loop
    self.database = database
    self.accountKeys = accountKeys
    self.log = log
    self.areAllAdmitted = areAllAdmitted
    count = metrics.gauge(
      "trackme_data4help_hospitals_to_call",
      "Hospitals on duty that could be called without the database.")
  }

  /// Whether they must be read again.
  var areStale: Bool { readAt.map { $0 + Self.pause <= loop.now } ?? true }

  /// Reads the hospitals on duty.
  ///
  /// - Throws: `unavailable` if a database is unavailable; the hospitals read before stay.
  func read() async throws(ApplicationError) {
    readAt = loop.now
    let rows = try await database.rows(
      HospitalsWithCallbacks(areAllAdmitted: areAllAdmitted))
    let keys = try await accountKeys.keysInPassing(of: rows.map(\.account))
    var read: [CallableHospital] = []
    for row in rows {
      guard let key = keys[row.account] else { continue }
      do throws(ApplicationError) {
        read.append(
          CallableHospital(
            account: row.account, position: row.position, endpoint: try row.endpoint(key)))
      } catch {
        log.failure(
          "read callback of hospital failed", error, .number("account_id", row.account.rawValue))
      }
    }
    all = read
    count.set(Int64(read.count))
  }
}

/// The hospitals that may be called, with their positions; by the index of the active callbacks.
struct HospitalsWithCallbacks: Statement {
  struct Row: Sendable {
    let account: AccountID
    let position: GeoPoint?
    let sealedURL: [UInt8]
    let sealedSecret: [UInt8]
    let sealedPreviousSecret: [UInt8]?
    let previousUntil: Instant?

    func endpoint(_ key: SealingKey) throws(ApplicationError) -> CallbackEndpoint {
      try CallbackEndpoint(
        url: sealedURL, secret: sealedSecret, previous: sealedPreviousSecret,
        until: previousUntil, of: account, under: key)
    }
  }
  static let sql: SQL<Self> = """
    SELECT hospital.account_id, hospital.latitude_e7, hospital.longitude_e7,
           callback.sealed_url, callback.sealed_secret, callback.sealed_previous_secret,
           callback.previous_until
      FROM data4help.hospitals AS hospital
      JOIN data4help.callbacks AS callback ON callback.third_party_id = hospital.account_id
     WHERE hospital.is_on_duty
       AND (hospital.approved_at IS NOT NULL OR \(\.areAllAdmitted))
       AND callback.off_reason IS NULL
     ORDER BY hospital.account_id
    """
  static let columns = Columns {
    (
      account: AccountID, latitude: Int32?, longitude: Int32?, url: [UInt8], secret: [UInt8],
      previousSecret: [UInt8]?, previousUntil: Instant?
    ) throws(PostgresError) in
    let position = try GeoPoint.stored(latitude, longitude)
    return Row(
      account: account, position: position, sealedURL: url, sealedSecret: secret,
      sealedPreviousSecret: previousSecret, previousUntil: previousUntil)
  }
  let areAllAdmitted: Bool
}
