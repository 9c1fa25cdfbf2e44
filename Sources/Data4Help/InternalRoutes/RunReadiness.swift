import Accounts
import Domain
import EventLoop
import GroupStatistics
import HealthRecords
import InternalAPI
import Postgres
import ServiceKit
import Time

/// Finds the warnings for a person who joins a run (RUN-14). Only the warnings are returned, for
/// the person alone, and none of the values.
struct RunReadiness: Sendable {
  let environment: Environment
  let database: Database
  let accountKeys: AccountKeys
  let zone: TimeZoneRules

  /// The warnings; none for a deleted account or a company.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func warnings(_ question: RunnerQuestion) async throws(ApplicationError) -> RunnerWarnings {
    let account = question.account
    guard let born = try await database.row(BirthDateOfPerson(account: account)),
      let born
    else { return RunnerWarnings([]) }
    let today = zone.day(of: environment.now())
    let days = today.adding(days: 1 - RecentHealth.days)...today
    var warnings: [RunWarning] = []
    if try await !deliversPosition(account, days) { warnings.append(.noPosition) }
    let means = try await means(of: account, days)
    if RecentHealth.advisesDoctor(means, born: born, on: today) { warnings.append(.askDoctor) }
    return RunnerWarnings(warnings)
  }

  /// Whether positions are imported, and a paired device has them or some were measured in the last
  /// days.
  private func deliversPosition(
    _ account: AccountID, _ days: ClosedRange<CalendarDate>
  ) async throws(ApplicationError) -> Bool {
    let delivered = try await database.row(
      DeliversPosition(
        account: account, sinceDay: Int32(days.lowerBound.daysSince1970),
        now: environment.now()))
    return delivered ?? false
  }

  /// The means of some days, of the types that were measured on them.
  private func means(
    of account: AccountID, _ days: ClosedRange<CalendarDate>
  ) async throws(ApplicationError) -> [DataType: Double] {
    let available = try await database.row(AvailableTypes(account: account))
    let measured = available.map(DataTypeSet.init(stored:)) ?? .none
    let period = SamplePeriod(
      from: zone.start(of: days.lowerBound), to: zone.start(of: days.upperBound.adding(days: 1)))
    var means: [DataType: Double] = [:]
    for type in RecentHealth.types where measured.contains(type) {
      let reader = SeriesReader(
        account: account, type: type, database: database,
        sealingKey: try await accountKeys.key(of: account), zone: zone)
      let values = try await reader.points(.day, period).map(\.moments.mean)
      if !values.isEmpty { means[type] = values.reduce(0, +) / Double(values.count) }
    }
    return means
  }
}

/// Whether an account's positions are imported, and a paired device has them or some are of the
/// last days. By primary keys. Citus passes rows between servers only if they have a column.
struct DeliversPosition: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT (own.account_id IS NULL
            OR own.disabled_types & \(\.bit) = 0
           AND (own.paused_until IS NULL OR own.paused_until <= \(\.now)))
           AND (EXISTS (
                  SELECT FROM data4help.devices AS device
                   WHERE device.account_id = person.account_id
                     AND device.sealed_description IS NOT NULL
                     AND device.types & \(\.bit) <> 0)
             OR EXISTS (
                  SELECT 1 FROM data4help.chunks AS chunk
                   WHERE chunk.account_id = \(\.account)
                     AND chunk.type = \(\.type)
                     AND chunk.day >= \(\.sinceDay)))
      FROM data4help.accounts AS person
      LEFT JOIN data4help.sample_accounts AS own USING (account_id)
     WHERE person.account_id = \(\.account)
    """
  let account: AccountID
  let sinceDay: Int32
  let now: Instant
  let type = DataType.position
  let bit = DataTypeSet([.position]).storedBits
}
