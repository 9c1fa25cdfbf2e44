import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Consumes Data4Help's events while this process holds the lease.
///
/// Reads page by page until it has caught up, then from a stream, and page by page again when the
/// stream breaks; retries dead letters in between. Confined to its loop.
final class Follower {
  /// The longest wait for events before the lease is checked.
  static let patience = Duration.seconds(1)
  /// The pause after a failure.
  static let failurePause = Duration.milliseconds(500)
  /// The number of failures at one position after which the failing events become dead letters,
  /// whatever the failure.
  static let failuresMax = 5

  private let surroundings: RunSurroundings
  private let sequence: EventSequence
  private let aside: EventsAside
  private let duty: Duty
  private let addresses: [SocketAddress]
  private let secret: InternalSecret
  private let loop: EventLoop
  private var position: Int64?
  /// The position of the last failure, and the number of failures there.
  private var failed: (position: Int64, count: Int) = (0, 0)
  private var triedAgainAt: MonotonicInstant?
  private var stream: InternalStream<InternalEvent>?
  private var streamCount = 0
  private var openedAt: MonotonicInstant?
  private var isBehind = true
  private var work: RepeatingWork?
  /// The time up to which everything that Data4Help had committed is stored here; nil before the
  /// first time.
  private(set) var caughtUpAt: WallTime?

  /// Creates a consumer of the replicas at these addresses, idle until `start`.
  init(
    _ surroundings: RunSurroundings, effects: EventEffects, duty: Duty,
    addresses: [SocketAddress], secret: InternalSecret, on loop: EventLoop
  ) {
    self.surroundings = surroundings
    sequence = EventSequence(effects: effects, surroundings: surroundings)
    aside = EventsAside(effects: effects, surroundings: surroundings)
    self.duty = duty
    self.addresses = addresses
    self.secret = secret
    self.loop = loop
  }

  /// Starts reading. On the loop, once.
  func start() {
    let bound = LoopBound(self, on: loop)
    let work = RepeatingWork(on: loop) { await bound.value.turn() }
    self.work = work
    duty.onTaking { work.wake() }
    work.start()
  }

  /// Stops after the current work. On the loop.
  func stop() async {
    dropStream()
    await work?.stop()
    dropStream()
  }

  /// Requests another page, so that `caughtUpAt` advances past now. On the loop.
  func lookAgain() {
    isBehind = true
    stream?.wake()
  }

  private func turn() async -> Duration {
    guard duty.isHeld else {
      dropStream()
      position = nil
      caughtUpAt = nil
      return Self.patience
    }
    do throws(ApplicationError) {
      try await step()
      return .zero
    } catch {
      surroundings.log.failure("consume events of Data4Help failed", error, level: .warning)
      dropStream()
      position = nil
      isBehind = true
      return Self.failurePause
    }
  }

  private func step() async throws(ApplicationError) {
    guard let position else {
      position = try await surroundings.database.row(LastNumber())
      return
    }
    if triedAgainAt.map({ loop.now - $0 >= EventsAside.every }) ?? true {
      triedAgainAt = loop.now
      try await aside.tryAgain(readTo: position)
    }
    if isBehind { return try await readPage(behind: position) }
    guard let stream else { return open(behind: position) }
    guard let events = await stream.next(within: Self.patience) else {
      dropStream()
      isBehind = true
      if let openedAt, loop.now - openedAt < Self.failurePause { throw .unavailable() }
      return
    }
    guard let last = events.last else { return }
    try await store(events, from: position, to: last.number)
    surroundings.metrics.followed.increment(by: UInt64(events.count))
  }

  private func readPage(behind position: Int64) async throws(ApplicationError) {
    let askedAt = surroundings.world.now()
    let page = try await surroundings.data4help.events(behind: position)
    try await store(page.events, from: position, to: page.next)
    if page.unreadableCount > 0 {
      surroundings.metrics.unreadable.increment(by: UInt64(page.unreadableCount))
      surroundings.log.error(
        "decode events of Data4Help failed",
        [
          .word("cause", "unknown or corrupt events, skipped"),
          .number("count", page.unreadableCount), .number("behind", position),
        ])
    }
    surroundings.metrics.followed.increment(by: UInt64(page.events.count))
    guard !page.hasMore else { return }
    caughtUpAt = askedAt
    isBehind = false
  }

  private func store(
    _ events: [InternalEvent], from position: Int64, to next: Int64
  ) async throws(ApplicationError) {
    let count = failed.position == position ? failed.count : 0
    do throws(ApplicationError) {
      self.position = try await sequence.store(
        events, from: position, to: next, isPatient: count < Self.failuresMax)
    } catch {
      failed = (position, count + 1)
      throw error
    }
  }

  /// Each stream connects to a different replica than the one before.
  private func open(behind position: Int64) {
    guard !addresses.isEmpty else { return }
    stream = InternalStream(
      "\(InternalPath.stream)?since=\(position)", of: addresses[streamCount % addresses.count],
      secret: secret, on: loop)
    streamCount += 1
    openedAt = loop.now
  }

  private func dropStream() {
    stream?.close()
    stream = nil
  }
}
