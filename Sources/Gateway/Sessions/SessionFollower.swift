import Cryptography
import EventLoop
import Operations
import Postgres
import Synchronization
import Time

/// Keeps the session table equal to the database: polls for changes by their numbers, which are in
/// commit order, so that none is missed (GW-3). It polls four times a second; an ended session is
/// rejected here at the latest 250 ms and one round trip after its commit.
// SAFETY: all mutable state is touched on `loop` alone, except the atomics.
package final class SessionFollower: SessionSource, @unchecked Sendable {
  /// The time between two polls.
  package static let pause = Duration.milliseconds(250)
  /// The limits of rows per poll, and of uses sent with it.
  private static let rowsMax: Int64 = 5000
  private static let marksMax = 1000
  /// The number of polls between two sweeps for expired sessions: an hour.
  private static let pollsPerSweep = 4 * 3600

  private let database: Database
  private let table: SessionTable
  private let loop: EventLoop
  private let log: Log
  private let environment: Environment
  private var lastChange: Int64 = 0
  private var unsent: [SessionMark] = []
  private var timer: LoopTimer?
  private let polls = Atomic<Int>(0)
  private var isFailing = false
  private var isStopped = false
  private var waiting: [TokenHash: [(SessionLookup) -> Void]] = [:]
  private let loaded = Atomic<Bool>(false)

  /// Creates a follower; `database` belongs to `loop`.
  package init(
    _ table: SessionTable, database: Database, on loop: EventLoop, log: Log,
    environment: Environment = .system
  ) {
    self.table = table
    self.database = database
    self.loop = loop
    self.log = log
    self.environment = environment
  }

  /// Whether all sessions have been read once. Callable from any thread.
  package var isLoaded: Bool { loaded.load(ordering: .acquiring) }

  /// The number of polls that were answered and applied. Callable from any thread.
  package var pollCount: Int { polls.load(ordering: .acquiring) }

  /// Starts polling. Callable from any thread.
  package func start() { loop.execute { [self] in beginPoll() } }

  /// Stops polling. Callable from any thread.
  package func stop() {
    loop.execute { [self] in
      isStopped = true
      timer?.cancel()
      database.close()
    }
  }

  // MARK: Polling

  private func beginPoll() {
    guard !isStopped else { return }
    loop.begin { [self] in
      let isMore = await poll()
      guard !isStopped else { return }
      timer = loop.schedule(after: isMore ? .zero : Self.pause) { [self] in beginPoll() }
    }
  }

  /// Polls once; returns whether there is more to read at once.
  private func poll() async -> Bool {
    if unsent.isEmpty { unsent = table.takeMarks(countMax: Self.marksMax) }
    let statement = FollowSessions(
      tokens: unsent.map(\.token), usedAt: unsent.map(\.usedAt), after: lastChange,
      countMax: Self.rowsMax)
    do throws(PostgresError) {
      let rows = try await database.write(statement, within: .seconds(5))
      unsent = []
      apply(rows)
      if isFailing { log.info("following sessions resumed") }
      isFailing = false
      return rows.count == Int(Self.rowsMax)
    } catch {
      if !isFailing {
        log.failure("follow sessions failed", error, level: .warning)
      }
      isFailing = true
      return false
    }
  }

  private func apply(_ rows: [SessionRow]) {
    let now = environment.now()
    for row in rows {
      if let session = row.session, now < session.expiresAt {
        table.insert(row.token, session)
      } else {
        table.remove(row.token)
      }
      lastChange = row.change
    }
    let pollCount = polls.add(1, ordering: .releasing).newValue
    if pollCount.isMultiple(of: Self.pollsPerSweep) { _ = table.removeExpired(at: now) }
    if rows.count < Int(Self.rowsMax), !isLoaded {
      loaded.store(true, ordering: .releasing)
      log.info("sessions loaded", [.number("sessions", table.count)])
    }
  }
}

/// The source of sessions that are not in memory.
package protocol SessionSource: Sendable {
  /// Whether all sessions have been read once. Callable from any thread.
  var isLoaded: Bool { get }
  /// Looks up a genuine token that is not in memory, once for any number of concurrent requests,
  /// and calls `found` on the asker's loop.
  func lookUp(
    _ token: TokenHash, for asker: EventLoop, _ found: @escaping (SessionLookup) -> Void)
}

/// The result of looking up a token.
package enum SessionLookup: Sendable, Equatable {
  /// The session is open.
  case open(Session)
  /// There is no open session.
  case absent
  /// The database could not be queried, with the cause for the log.
  case unavailable(String)
}

extension SessionFollower {
  /// The largest number of tokens being looked up at the same time.
  private static let lookupsMax = 10_000

  /// Looks up a genuine token that is not in memory, once for any number of concurrent requests,
  /// and calls `found` on the asker's loop.
  package func lookUp(
    _ token: TokenHash, for asker: EventLoop, _ found: @escaping (SessionLookup) -> Void
  ) {
    let answer = LoopBound(found, on: asker)
    loop.execute { [self] in
      begin(token) { result in asker.execute { answer.value(result) } }
    }
  }

  private func begin(_ token: TokenHash, _ answer: @escaping (SessionLookup) -> Void) {
    guard waiting[token] == nil else {
      waiting[token]?.append(answer)
      return
    }
    guard waiting.count < Self.lookupsMax, !isStopped else {
      return answer(.unavailable("no further token can be looked up"))
    }
    waiting[token] = [answer]
    loop.begin { [self] in
      let result = await ask(token)
      for answer in waiting.removeValue(forKey: token) ?? [] { answer(result) }
    }
  }

  private func ask(_ token: TokenHash) async -> SessionLookup {
    let statement = SessionOfToken(token: token)
    do throws(PostgresError) {
      let row = try await database.readOne(statement, within: .seconds(2))
      return settle(token, row)
    } catch {
      return .unavailable("the token could not be looked up: \(error.description)")
    }
  }

  /// Inserts a row into the table, unless the table has seen a later change: a session that a poll
  /// removed while this row was in transit must not come back.
  private func settle(_ token: TokenHash, _ row: SessionRow?) -> SessionLookup {
    let now = environment.now()
    guard let row, let session = row.session, now < session.expiresAt else {
      table.noteAbsent(token)
      return .absent
    }
    if row.change > lastChange || table.holds(token) { table.insert(token, session) }
    switch table.find(token, at: now) {
    case .open(let session): return .open(session)
    case .absent, .unknown:
      // Idle for too long, or ended meanwhile.
      table.noteAbsent(token)
      return .absent
    }
  }
}
