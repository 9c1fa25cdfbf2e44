import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import HealthRecords
import Operations
import Postgres
import ServiceKit
import Time

// The vital signs that a call contains and that the record of an emergency stores (SOS-5, SOS-8).

extension DataType {
  /// Whether it is sent to a hospital in an emergency: measurements of the body that change within
  /// minutes, and conclusions of the device itself.
  var isVitalSign: Bool {
    switch self {
    case .heartRate, .bloodPressureSystolic, .bloodPressureDiastolic, .oxygenSaturation,
      .respiratoryRate, .bodyTemperature, .bloodGlucose, .fall, .shaking, .ecg:
      true
    case .position, .weight, .height, .steps, .walkingRunningDistance, .standHours, .activeEnergy,
      .restingEnergy, .nutritionEnergy, .sleepHours, .speed, .ambientPressure, .activity:
      false
    }
  }
}

/// Selects and bounds the readings of an emergency.
package enum VitalSigns {
  /// All types that are vital signs.
  static let types = DataType.allCases.filter(\.isVitalSign)
  /// The time before the first critical reading from which on readings belong to an emergency
  /// (SOS-5), in milliseconds.
  static let milliseconds: Int64 = 300_000
  /// An emergency that is not closed collects readings for as long as calls are repeated.
  static let lengthMax: Int64 = 86_400_000

  /// At most `countMax` of these readings, oldest first: all of them, or of each type the lowest
  /// and the highest value of every second, of every 2, 4, 8 … seconds, as many as fit. So a peak
  /// is never lost, and readings that were thinned before result in the same selection.
  static func thinned(_ readings: [EmergencyReading], to countMax: Int) -> [EmergencyReading] {
    var width: Int64 = 1000
    var kept = readings
    while kept.count > countMax {
      kept = extremes(of: readings, in: width)
      width *= 2
    }
    return kept
  }

  private struct Slot: Hashable {
    let type: DataType
    let number: Int64
  }

  private static func extremes(
    of readings: [EmergencyReading], in width: Int64
  ) -> [EmergencyReading] {
    var ends: [Slot: (low: Int, high: Int)] = [:]
    for (index, reading) in readings.enumerated() {
      let slot = Slot(
        type: reading.type, number: reading.time.millisecondsSince1970 / width)
      let value = reading.value.number ?? 0
      guard let known = ends[slot] else {
        ends[slot] = (index, index)
        continue
      }
      if value < readings[known.low].value.number ?? 0 { ends[slot]?.low = index }
      if value > readings[known.high].value.number ?? 0 { ends[slot]?.high = index }
    }
    let indices = Set(ends.values.flatMap { [$0.low, $0.high] })
    return indices.sorted().map { readings[$0] }
  }
}

/// The vital signs of a person that a process has judged in the last minutes: for a call before
/// they are stored, or while they can't be.
struct RecentReadings: Sendable {
  /// The most readings of a person, 2.5 kB of memory; more are thinned.
  static let countMax = 60
  /// Readings are kept a little longer than five minutes: an emergency begins with its first
  /// critical reading, and its steps follow later.
  private static let milliseconds = VitalSigns.milliseconds + 60_000

  /// Oldest first.
  private(set) var list: [EmergencyReading] = []

  /// Adds readings received at a time.
  mutating func add(_ readings: [EmergencyReading], at now: Instant) {
    drop(at: now)
    guard !readings.isEmpty else { return }
    list = (list + readings).sorted { $0.time < $1.time }
    list = VitalSigns.thinned(list, to: Self.countMax)
  }

  /// Removes readings that are too old.
  mutating func drop(at now: Instant) {
    let oldest = now.adding(milliseconds: -Self.milliseconds)
    guard let first = list.first, first.time < oldest else { return }
    list.removeAll { $0.time < oldest }
  }
}

/// Reads the stored vital signs of people.
struct StoredVitalSigns: Sendable {
  let environment: Environment
  let database: Database
  let accountKeys: AccountKeys
  let zone: TimeZoneRules
  let log: Log

  /// The vital signs of an account that were measured from one time until before another. A damaged
  /// chunk is left out, so that the rest of a call is sent.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func readings(
    of account: AccountID, from: Instant, to: Instant, under key: SealingKey
  ) async throws(ApplicationError) -> [EmergencyReading] {
    let period = StoredPeriod(SamplePeriod(from: from, to: to), zone: zone)
    let rows = try await database.rows(
      ChunksOfPeriod(account: account, types: VitalSigns.types, period: period))
    var readings: [EmergencyReading] = []
    for row in rows {
      let chunk = ChunkKey(account: account, type: row.type, day: row.day, part: row.part)
      do throws(SampleStoreError) {
        for sample in try SealedBlocks.samples(in: row.data, of: chunk, with: key)
        where sample.time >= from && sample.time < to {
          readings.append(
            EmergencyReading(type: row.type, value: sample.value, time: sample.time))
        }
      } catch {
        log.failure(
          "read vital signs failed", error, .number("account_id", account.rawValue))
      }
    }
    return readings
  }

  /// The vital signs of emergencies whose record is not complete yet, up to now or to their end.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func readings(
    ofIncomplete ids: [UniversalID]
  ) async throws(ApplicationError) -> [UniversalID: [EmergencyReading]] {
    guard !ids.isEmpty else { return [:] }
    let rows = try await database.rows(IncompleteEmergencies(ids: ids))
    let keys = try await accountKeys.keys(of: Array(Set(rows.map(\.account))))
    var found: [UniversalID: [EmergencyReading]] = [:]
    for row in rows {
      guard let key = try keys.key(of: row.account) else { continue }
      found[row.id] = try await readings(of: row, under: key)
    }
    return found
  }

  /// The vital signs of one emergency, up to now or to its end.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func readings(
    of row: IncompleteEmergency, under key: SealingKey
  ) async throws(ApplicationError) -> [EmergencyReading] {
    let first = Instant(millisecondsSince1970: row.firstCritical)
    let end = (row.endedAt ?? environment.now()).flooredToMilliseconds
    return try await readings(
      of: row.account, from: first.adding(milliseconds: -VitalSigns.milliseconds),
      to: min(
        end.adding(milliseconds: 1), first.adding(milliseconds: VitalSigns.lengthMax)),
      under: key)
  }
}

/// An emergency whose record does not contain all readings yet.
struct IncompleteEmergency: Sendable {
  let id: UniversalID
  let account: AccountID
  /// By the device.
  let firstCritical: Int64
  let endedAt: Instant?

  static let columns = Columns(IncompleteEmergency.init)
}

/// Those of these emergencies whose record does not contain all readings yet; drills have none. By
/// the primary key.
struct IncompleteEmergencies: Statement {
  typealias Row = IncompleteEmergency
  static let sql: SQL<Self> = """
    SELECT emergency_id, account_id, first_critical, ended_at
      FROM data4help.emergencies
     WHERE emergency_id = ANY (\(\.ids))
       AND NOT has_all_readings
       AND rule <> 0
    """
  static let columns = IncompleteEmergency.columns
  let ids: [UniversalID]
}
