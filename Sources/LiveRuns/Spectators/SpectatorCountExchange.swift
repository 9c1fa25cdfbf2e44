import Bytes
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// The number of spectators of each run in all processes (RUN-15). Every few seconds each process
/// writes its own counts and reads those of the others. Confined to the loop of the follower.
final class SpectatorCountExchange {
  /// The interval of the exchange between processes.
  static let every = Duration.seconds(3)
  /// How long the counts of a process are valid.
  static let countedFor = Duration.seconds(15)
  /// The age from which the counts of any process are deleted.
  static let keptFor = Duration.seconds(3600)

  private let environment: Environment
  private let database: Database
  private let process: UniversalID
  private var others: [Int64: Int] = [:]
  private var noted: Set<Int64> = []

  init(environment: Environment, database: Database) {
    self.environment = environment
    self.database = database
    let bytes = environment.randomBytes(16)
    process = UniversalID(
      high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.suffix(8)))
  }

  /// The number of spectators of a run in the other processes.
  func elsewhere(_ runID: Int64) -> Int { others[runID, default: 0] }

  /// Writes the number of open streams of each run in this process, and reads those of the others.
  ///
  /// - Throws: `unavailable`.
  func exchange(_ streams: [Int64: Int]) async throws(ApplicationError) {
    let now = environment.now()
    let watched = streams.filter { $0.value > 0 }
    var note = StoreSpectatorCounts(process: process, now: now)
    // Writes a zero once for runs that lost their last spectator in this process.
    for runID in Set(watched.keys).union(noted) {
      note.runs.append(runID)
      note.streams.append(Int32(clamping: watched[runID, default: 0]))
    }
    noted = Set(watched.keys)
    if !note.runs.isEmpty { _ = try await database.effect(note) }
    guard !streams.isEmpty else { return }
    let rows = try await database.rows(
      OtherSpectatorCounts(process: process, after: now - Self.countedFor))
    others = Dictionary(rows.map { ($0.runID, Int($0.streams)) }, uniquingKeysWith: { $1 })
  }

  /// Deletes the counts of this process, and old counts of all processes.
  ///
  /// - Throws: `unavailable`.
  func forget() async throws(ApplicationError) {
    let before = environment.now() - Self.keptFor
    _ = try await database.effect(DeleteSpectatorCounts(process: process, before: before))
  }
}
