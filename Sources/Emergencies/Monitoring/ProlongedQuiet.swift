import AutomatedSOS
import Bytes
import Domain
import Postgres
import ServiceKit
import Time

/// Stores extended quiet periods of rules whose readings stay critical after a call. The quiet
/// period lasts until ten minutes without such a reading have passed (decision 0021); without this
/// it would end ten minutes after the call on every replica that has not judged these readings
/// itself. Only for its loop.
struct ProlongedQuiet {
  /// How often it is stored: a replica that takes over knows of readings up to here.
  static let pause = Duration.seconds(10)
  /// Emergencies stored in one statement.
  private static let countMax = 500

  let database: Database
  let watch: EmergencyWatch

  /// Stores the ends of the quiet periods of rules that were violated again.
  ///
  /// - Throws: `unavailable` if the database is unavailable; the next critical reading is stored
  ///   instead.
  func store() async throws(ApplicationError) {
    let prolonged = watch.monitoring.drainProlonged().map { (account, emergency, until) in
      (id: watch.store.identifier(of: emergency, account), until: until.instant)
    }
    for start in stride(from: 0, to: prolonged.count, by: Self.countMax) {
      let piece = prolonged[start..<min(start + Self.countMax, prolonged.count)]
      _ = try await database.effect(
        ProlongQuiet(ids: piece.map { $0.id }, times: piece.map { $0.until }))
    }
  }
}

/// Extends the quiet periods of emergencies to these times, if they had a call and are not over. By
/// the primary key, in its order.
struct ProlongQuiet: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergencies AS emergency
       SET quiet_until = given.until,
           tracked_until = greatest(emergency.tracked_until, given.until)
      FROM (SELECT emergency_id, until
              FROM unnest(\(\.ids), \(\.times)) AS asked (emergency_id, until)
             ORDER BY emergency_id) AS given
     WHERE emergency.emergency_id = given.emergency_id
       AND emergency.stage IN (4, 5)
       AND emergency.quiet_until < given.until
    """
  let ids: [UniversalID]
  let times: [Instant]
}
