import Domain
import EventLoop
import InternalAPI
import Operations
import Postgres
import ServiceKit
import Time

/// Consumes Data4Help's events while this process holds the lease.
///
/// Reads page by page until it has caught up, then from a stream, and page by page again when the
/// stream breaks; retries dead letters in between. Confined to its loop.
package final class ChangeFeedConsumer {
  /// The longest wait for events before the lease is checked.
  static let waitMax = Duration.seconds(1)
  /// The pause after a failure.
  static let failurePause = Duration.milliseconds(500)
  /// The number of failures at one position after which the failing events become dead letters,
  /// whatever the failure.
  static let failuresMax = 5

  private let feed: EventFeed
  private let environment: Environment
  private let database: Database
  private let metrics: OutboxMetrics
  private let sequence: EventSequence
  private let deadLetters: DeadLetters
  /// The log without the identifier of a call.
  private let plainLog: Log
  private let lease: Lease
  private let loop: EventLoop
  private var position: Int64?
  /// The position of the last failure, and the number of failures there.
  private var failed: (position: Int64, count: Int) = (0, 0)
  private var triedAgainAt: MonotonicInstant?
  private var stream: InternalStream<InternalEvent>?
  /// The identifier of the open stream.
  private var streamID = RequestID.random()
  /// The identifier of the current page, stream or round of dead letters, in the logs of both
  /// services; nil before a step has called Data4Help.
  private var callID: RequestID?
  private var streamCount = 0
  private var openedAt: MonotonicInstant?
  private var isLagging = true
  private var work: PeriodicTask?
  /// The time up to which everything that Data4Help had committed is stored here; nil before the
  /// first time.
  package private(set) var caughtUpAt: Instant?

  /// Creates a consumer of this feed on the database's loop, idle until `start`.
  package init(
    _ feed: EventFeed, effects: any EventEffects, environment: Environment, database: Database,
    lease: Lease,
    metrics: OutboxMetrics, log: Log
  ) {
    self.feed = feed
    self.environment = environment
    self.database = database
    self.lease = lease
    self.metrics = metrics
    plainLog = log
    loop = database.loop
    sequence = EventSequence(
      environment: environment, database: database, effects: effects, metrics: metrics, log: log)
    deadLetters = DeadLetters(
      environment: environment, database: database, data4help: feed.data4help, effects: effects,
      metrics: metrics, log: log)
  }

  private var log: Log { callID.map(plainLog.following) ?? plainLog }

  /// Starts reading. On the loop, once.
  package func start() {
    let bound = LoopBound(self, on: loop)
    let work = PeriodicTask(on: loop) { await bound.value.turn() }
    self.work = work
    lease.onAcquiring { work.wake() }
    work.start()
  }

  /// Stops after the current work. On the loop.
  package func stop() async {
    dropStream()
    await work?.stop()
    dropStream()
  }

  /// Requests another page, so that `caughtUpAt` advances past now. On the loop.
  package func requestPage() {
    isLagging = true
    stream?.wake()
  }

  private func turn() async -> Duration {
    guard lease.isHeld else {
      dropStream()
      position = nil
      caughtUpAt = nil
      return Self.waitMax
    }
    do throws(ApplicationError) {
      try await step()
      return .zero
    } catch {
      log.failure("consume events of Data4Help failed", error, level: .warning)
      dropStream()
      position = nil
      isLagging = true
      return Self.failurePause
    }
  }

  private func step() async throws(ApplicationError) {
    callID = nil
    guard let position else {
      position = try await database.row(ChangeFeedPosition())
      return
    }
    if triedAgainAt.map({ loop.now - $0 >= DeadLetters.every }) ?? true {
      triedAgainAt = loop.now
      let round = RequestID.random()
      callID = round
      try await deadLetters.following(round).tryAgain(readTo: position)
    }
    if isLagging { return try await readPage(after: position) }
    guard let stream else { return open(after: position) }
    callID = streamID
    guard let events = await stream.next(within: Self.waitMax) else {
      dropStream()
      isLagging = true
      if let openedAt, loop.now - openedAt < Self.failurePause { throw .unavailable() }
      return
    }
    guard let last = events.last else { return }
    try await store(events, from: position, to: last.number, following: streamID)
    metrics.consumed.increment(by: UInt64(events.count))
  }

  private func readPage(after position: Int64) async throws(ApplicationError) {
    let askedAt = environment.now()
    let call = RequestID.random()
    callID = call
    let page = try await feed.data4help.following(call).events(after: position)
    try await store(page.events, from: position, to: page.next, following: call)
    if page.unreadableCount > 0 {
      metrics.unreadable.increment(by: UInt64(page.unreadableCount))
      log.error(
        "decode events of Data4Help failed",
        [
          .constant("cause", "unknown or corrupt events, skipped"),
          .number("count", page.unreadableCount), .number("after", position),
        ])
    }
    metrics.consumed.increment(by: UInt64(page.events.count))
    guard !page.hasMore else { return }
    caughtUpAt = askedAt
    isLagging = false
  }

  private func store(
    _ events: [InternalEvent], from position: Int64, to next: Int64, following call: RequestID
  ) async throws(ApplicationError) {
    let count = failed.position == position ? failed.count : 0
    do throws(ApplicationError) {
      self.position = try await sequence.following(call).store(
        events, from: position, to: next, mayRetry: count < Self.failuresMax)
    } catch {
      failed = (position, count + 1)
      throw error
    }
  }

  /// Each stream connects to a different replica than the one before.
  private func open(after position: Int64) {
    let opened = RequestID.random()
    stream = feed.stream(after: position, count: streamCount, following: opened, on: loop)
    guard stream != nil else { return }
    streamID = opened
    streamCount += 1
    openedAt = loop.now
  }

  private func dropStream() {
    stream?.close()
    stream = nil
  }
}
