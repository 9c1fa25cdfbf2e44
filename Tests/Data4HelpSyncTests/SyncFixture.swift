import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import FakeServices
import InternalAPI
import Operations
import Postgres
import PostgresFixture
import ServiceKit
import Support
import Synchronization
import Testing

/// The synchronisation of one process with a fake Data4Help, over a new database.
struct SyncFixture: Sendable {
  let test: TestDatabase
  let database: Database
  let clock = ManualClock(FakeData4Help.now)
  let root = RootSecret.random()
  let fake: FakeData4Help

  var loop: EventLoop { database.loop }

  /// Runs a test with a new database and a new fake.
  static func with(_ body: @escaping @Sendable (SyncFixture) async throws -> Void) async throws {
    try await TestDatabase.with { test in
      let loop = try EventLoop.start(name: "sync")
      defer { loop.stop() }
      let database = Database(test.settings(as: "track4run"), on: loop)
      try await Task(executorPreference: loop) {
        defer { database.close() }
        try await FakeData4Help.with { fake in
          try await body(SyncFixture(test: test, database: database, fake: fake))
        }
      }.value
    }
  }

  /// A client of the fake.
  var client: Data4HelpClient {
    Data4HelpClient(
      InternalClient(replicas: [fake.address], secret: InternalSecret(root: root), on: loop))
  }

  /// Runs `body` while a process that holds the lease applies these effects.
  func consuming(
    _ effects: RecordedEffects, log: Log = .none, _ body: () async throws -> Void
  ) async throws {
    let lease = Lease(database: database, log: .none, on: loop)
    let feed = EventFeed(
      client, addresses: [fake.address], secret: InternalSecret(root: root))
    let consumer = LoopBound(
      ChangeFeedConsumer(
        feed, effects: effects, environment: clock.environment, database: database, lease: lease,
        metrics: OutboxMetrics(Metrics()), log: log), on: loop)
    await loop.run {
      consumer.value.start()
      lease.start()
    }
    do { try await body() } catch {
      await consumer.value.stop()
      await lease.stop()
      throw error
    }
    await consumer.value.stop()
    await lease.stop()
  }

  /// The number returned by a query.
  func number(_ query: StaticString) throws -> Int {
    let rows = try test.session().rows(query)
    return try #require(rows.first?.first.flatMap { $0 }.flatMap { Int($0) })
  }
}

/// Effects that record the numbers of events whose transaction has committed, and that fail for
/// one number as long as the test wants.
final class RecordedEffects: EventEffects {
  private let database: Database
  private let state = Mutex((applied: [Int64](), failing: Int64?.none))

  init(in database: Database, failing number: Int64? = nil) {
    self.database = database
    state.withLock { $0.failing = number }
  }

  /// The numbers of the applied events, in the order of their commits.
  var applied: [Int64] { state.withLock { $0.applied } }

  /// Fails for no event from now on.
  func repair() { state.withLock { $0.failing = nil } }

  func store(
    _ events: ArraySlice<InternalEvent>, at position: EventPosition
  ) async throws(ApplicationError) {
    let numbers = events.map(\.number)
    let failing = state.withLock { $0.failing }
    if let failing, numbers.contains(failing) {
      throw .internalError(because: "The test wants it.")
    }
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await transaction.leave(position)
    }
    state.withLock { $0.applied += numbers }
  }
}
