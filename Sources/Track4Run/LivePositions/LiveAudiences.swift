import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// How many are watching each run in all processes (RUN-15): each notes its own every few seconds,
/// and reads those of the others. For the loop of the follower.
final class LiveAudiences {
  /// How often processes tell each other.
  static let every = Duration.seconds(3)
  /// For how long what a process said counts.
  static let countedFor = Duration.seconds(15)
  /// When what any process said is forgotten.
  static let keptFor = Duration.seconds(3600)

  private let world: World
  private let database: Database
  private let process: PostgresUUID
  private var others: [Int64: Int] = [:]
  private var noted: Set<Int64> = []

  init(_ surroundings: LiveSurroundings) {
    world = surroundings.world
    database = surroundings.database
    let bytes = world.randomBytes(16)
    process = PostgresUUID(
      high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.suffix(8)))
  }

  /// How many watch a run at the other processes.
  func elsewhere(_ runID: Int64) -> Int { others[runID, default: 0] }

  /// Notes how many streams of each run are open here, and reads how many elsewhere.
  ///
  /// - Throws: 503.
  func exchange(_ streams: [Int64: Int]) async throws(ApplicationError) {
    let now = world.now()
    let watched = streams.filter { $0.value > 0 }
    var note = NoteAudiences(process: process, now: now)
    // Who was watched here and is no longer is noted with none.
    for runID in Set(watched.keys).union(noted) {
      note.runs.append(runID)
      note.streams.append(Int32(clamping: watched[runID, default: 0]))
    }
    noted = Set(watched.keys)
    if !note.runs.isEmpty { _ = try await database.effect(note) }
    guard !streams.isEmpty else { return }
    let rows = try await database.rows(
      OtherAudiences(process: process, after: now - Self.countedFor))
    others = Dictionary(rows.map { ($0.runID, Int($0.streams)) }, uniquingKeysWith: { $1 })
  }

  /// Forgets who watched here, and what any process noted long ago.
  ///
  /// - Throws: 503.
  func forget() async throws(ApplicationError) {
    let before = world.now() - Self.keptFor
    _ = try await database.effect(ForgetAudiences(process: process, before: before))
  }
}
