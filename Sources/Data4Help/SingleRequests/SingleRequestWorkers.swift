import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// What happens to single requests without anybody asking: new samples enter the sequences of
/// subscribers, subscriptions end, unanswered requests expire (REQ-1), records of accesses are
/// anchored.
///
/// Every replica runs them on one of its loops; they share the work by skipping locked rows.
package struct SingleRequestWorkers: Sendable {
  /// How often the relay looks; a sample enters a sequence that much later at most.
  package static let relayInterval = Duration.milliseconds(200)
  /// How often unanswered requests are looked for; their status in lists and answers does not wait
  /// for it.
  package static let expiryInterval = Duration.seconds(5)
  /// How often records of accesses are anchored.
  package static let anchorInterval = Duration.seconds(1)
  /// Rows that one statement takes on.
  static let batchMax: Int64 = 1_000

  private let surroundings: Surroundings
  private let anchoring: AccessAnchoring
  private let repeated: LoopBound<[RepeatedWork]>

  /// Workers that stand still until `start`.
  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    let anchoring = AccessAnchoring(surroundings)
    self.anchoring = anchoring
    let loop = surroundings.loop
    let log = surroundings.log
    repeated = LoopBound(
      [
        RepeatedWork("relay", every: Self.relayInterval, on: loop, log) { () throws(Problem) in
          try await Self.relay(surroundings)
        },
        RepeatedWork("expiry", every: Self.expiryInterval, on: loop, log) { () throws(Problem) in
          try await Self.expire(surroundings)
        },
        RepeatedWork("anchors", every: Self.anchorInterval, on: loop, log) { () throws(Problem) in
          try await anchoring.run()
        },
      ], on: loop)
  }

  /// Begins to work. On the loop.
  package func start() {
    for work in repeated.value { work.start() }
  }

  /// Ends after what is under way. On the loop.
  package func stop() async {
    for work in repeated.value { await work.stop() }
  }

  /// Lets everything that has arrived enter the subscribers' sequences, and ends the subscriptions
  /// whose time is over; gives how many subscriptions it looked after. On the loop.
  ///
  /// - Throws: 503 if the database is away.
  package func relay() async throws(Problem) -> Int {
    try await Self.relay(surroundings)
  }

  /// Lets unanswered requests expire; gives how many did. On the loop.
  ///
  /// - Throws: 503 if the database is away.
  package func expire() async throws(Problem) -> Int {
    try await Self.expire(surroundings)
  }

  /// Anchors the records of accesses; gives how many moved on. On the loop.
  ///
  /// - Throws: 503 if a database is away.
  package func anchor() async throws(Problem) -> Int {
    try await anchoring.run()
  }

  private static func relay(_ surroundings: Surroundings) async throws(Problem) -> Int {
    var total = 0
    while true {
      let relay = RelaySubscriptions(now: surroundings.world.now(), countMax: batchMax)
      let count = try await surroundings.database.effect(relay) ?? 0
      total += Int(count)
      if count < batchMax { return total }
    }
  }

  private static func expire(_ surroundings: Surroundings) async throws(Problem) -> Int {
    var total = 0
    while true {
      let expiry = ExpireRequests(now: surroundings.world.now(), countMax: batchMax)
      let count = try await surroundings.database.effect(expiry) ?? 0
      total += Int(count)
      if count < batchMax { return total }
    }
  }
}

/// Work that begins anew a while after it has ended, until it is stopped.
// SAFETY: `@unchecked Sendable` since all state is touched on its loop alone, which is asserted.
final class RepeatedWork: @unchecked Sendable {
  typealias Work = @Sendable () async throws(Problem) -> Int

  private let name: StaticString
  private let interval: Duration
  private let loop: EventLoop
  private let log: Log
  private let work: Work
  private var isStopped = true
  private var isFailing = false
  private var isUnderWay = false
  private var timer: LoopTimer?
  private var stopped: [CheckedContinuation<Void, Never>] = []

  init(
    _ name: StaticString, every interval: Duration, on loop: EventLoop, _ log: Log,
    _ work: @escaping Work
  ) {
    self.name = name
    self.interval = interval
    self.loop = loop
    self.log = log
    self.work = work
  }

  func start() {
    loop.assertCurrent()
    guard isStopped else { return }
    isStopped = false
    begin()
  }

  /// Returns once nothing is under way.
  func stop() async {
    loop.assertCurrent()
    isStopped = true
    timer?.cancel()
    guard isUnderWay else { return }
    await withCheckedContinuation { stopped.append($0) }
  }

  private func begin() {
    isUnderWay = true
    loop.begin { [self] in
      do throws(Problem) {
        _ = try await work()
        isFailing = false
      } catch {
        // The first of several failures in a row says enough.
        if !isFailing { log.warning("background work failed", [.word("work", name)]) }
        isFailing = true
      }
      ended()
    }
  }

  private func ended() {
    isUnderWay = false
    if isStopped {
      for continuation in stopped { continuation.resume() }
      stopped = []
    } else {
      timer = loop.schedule(after: interval) { [self] in begin() }
    }
  }
}
