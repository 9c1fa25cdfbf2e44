import Accounts
import Bytes
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Completes the records of ended emergencies with the vital signs up to their end (SOS-8), a
/// minute later, when the last readings are stored. From then on the record no longer depends on
/// the stored samples. Only for its loop.
package final class EmergencyRecords {
  /// How often ended emergencies are looked for.
  static let pause = Duration.seconds(15)
  /// The time from the end of an emergency to its complete record.
  static let delay = Duration.seconds(60)
  /// Attempts for a record that fails; the pause doubles after each, so that the last one is half
  /// an hour later.
  static let triesMax = 8
  private static let countMax: Int64 = 50
  private static let timeMax = Duration.seconds(10)

  private let dependencies: EmergenciesDependencies
  private let vitalSigns: StoredVitalSigns
  private var work: PeriodicTask?
  /// Records that failed in this process.
  private var failed: [UniversalID: (tries: Int, nextAt: Instant)] = [:]

  init(_ dependencies: EmergenciesDependencies) {
    self.dependencies = dependencies
    vitalSigns = StoredVitalSigns(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, zone: dependencies.zone, log: dependencies.log)
  }

  /// Starts looking. On the loop, once.
  func start() {
    let bound = LoopBound(self, on: dependencies.loop)
    let work = PeriodicTask(on: dependencies.loop) { await bound.value.turnAndRest() }
    self.work = work
    work.start()
  }

  func stop() async { await work?.stop() }

  private func turnAndRest() async -> Duration {
    do throws(ApplicationError) {
      return try await turn() == Int(Self.countMax) ? .zero : Self.pause
    } catch {
      dependencies.log.failure("find ended emergencies failed", error, level: .warning)
      return Self.pause
    }
  }

  /// Completes the records of emergencies that ended long enough ago; returns how many. A record
  /// that fails is tried again later, and left as it is after `triesMax` attempts. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func turn() async throws(ApplicationError) -> Int {
    let now = dependencies.environment.now()
    let resting = failed.filter { $0.value.nextAt > now }.keys
    let rows = try await dependencies.database.rows(
      EndedEmergencies(
        before: now - Self.delay, except: Array(resting), countMax: Self.countMax))
    var completed = 0
    for row in rows {
      do throws(ApplicationError) {
        try await complete(row)
        failed[row.id] = nil
        completed += 1
      } catch {
        switch error.reason {
        case .unavailable: throw error
        // The account was deleted meanwhile, and its emergencies with it.
        case .notFound: failed[row.id] = nil
        default: try await note(error, of: row.id, at: now)
        }
      }
    }
    return completed
  }

  /// Delays the next attempt for a failed record, or leaves it as it is after the last one.
  private func note(
    _ error: ApplicationError, of id: UniversalID, at now: Instant
  ) async throws(ApplicationError) {
    let tries = (failed[id]?.tries ?? 0) + 1
    guard tries < Self.triesMax else {
      dependencies.log.failure(
        "complete record of emergency failed for good", error, .safe("emergency", id),
        .number("try", tries))
      _ = try await dependencies.database.effect(KeepRecord(id: id))
      failed[id] = nil
      return
    }
    dependencies.log.failure(
      "complete record of emergency failed", error, level: .warning, .safe("emergency", id),
      .number("try", tries))
    failed[id] = (tries, now + Self.pause * (1 << (tries - 1)))
  }

  private func complete(_ emergency: IncompleteEmergency) async throws(ApplicationError) {
    let key = try await dependencies.accountKeys.key(of: emergency.account)
    let readings = try await vitalSigns.readings(of: emergency, under: key)
    try await dependencies.database.transaction(
      retrying: .conflicts(times: 3), within: Self.timeMax
    ) { (transaction) throws(ApplicationError) in
      guard let row = try await transaction.runOne(LockEmergency(id: emergency.id)) else { return }
      var details = try EmergencyDetails(row, under: key)
      details.add(readings, since: row.firstCritical)
      try await transaction.run(
        CompleteRecord(id: row.id, sealedDetails: details.sealed(for: row.id, under: key)))
    }
  }
}

/// Emergencies that ended before a time and whose record is not complete, except some. By the index
/// on them.
struct EndedEmergencies: Statement {
  typealias Row = IncompleteEmergency
  static let sql: SQL<Self> = """
    SELECT emergency_id, account_id, first_critical, ended_at
      FROM data4help.emergencies
     WHERE ended_at <= \(\.before)
       AND NOT has_all_readings
       AND rule <> 0
       AND emergency_id <> ALL (\(\.except))
     ORDER BY ended_at
     LIMIT \(\.countMax)
    """
  static let columns = IncompleteEmergency.columns
  let before: Instant
  let except: [UniversalID]
  let countMax: Int64
}

/// Stores the complete record of an emergency.
struct CompleteRecord: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergencies
       SET sealed_details = \(\.sealedDetails), has_all_readings = true
     WHERE emergency_id = \(\.id)
    """
  let id: UniversalID
  let sealedDetails: [UInt8]
}

/// Leaves the record of an emergency as it is.
struct KeepRecord: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergencies
       SET has_all_readings = true
     WHERE emergency_id = \(\.id)
    """
  let id: UniversalID
}
