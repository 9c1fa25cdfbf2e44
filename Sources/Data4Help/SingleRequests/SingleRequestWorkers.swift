import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// The background work of single requests: new samples enter the sequences of subscribers,
/// subscriptions end, unanswered requests expire (REQ-1), records of accesses are anchored.
///
/// Every replica runs it on one of its loops; replicas share the work by skipping locked rows.
package struct SingleRequestWorkers: Sendable {
  /// The interval between expiries; lists and responses show the expired status even before.
  package static let expiryInterval = Duration.seconds(5)
  /// The interval between searches for subscriptions that end soon.
  package static let remindInterval = Duration.seconds(60)
  /// The interval between anchorings of the records of accesses.
  package static let anchorInterval = Duration.seconds(1)
  /// The pause after a failure.
  package static let failureInterval = Duration.seconds(1)
  /// The maximum number of rows in one statement.
  static let batchMax: Int64 = 1_000

  private let surroundings: Surroundings
  private let anchoring: AccessAnchoring
  private let relaying: LoopBound<SubscriptionRelay>
  private let repeated: LoopBound<[RepeatingWork]>

  /// Workers that do nothing until `start`.
  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    let anchoring = AccessAnchoring(surroundings)
    self.anchoring = anchoring
    let relaying = LoopBound(SubscriptionRelay(surroundings), on: surroundings.loop)
    self.relaying = relaying
    let relay = Self.repeating("relay", every: SubscriptionRelay.interval, surroundings) {
      () throws(ApplicationError) in try await relaying.value.turn()
    }
    let parts: [RepeatingWork] = [
      relay,
      Self.repeating("expiry", every: Self.expiryInterval, surroundings) {
        () throws(ApplicationError) in
        try await Self.expire(surroundings)
      },
      Self.repeating("reminders", every: Self.remindInterval, surroundings) {
        () throws(ApplicationError) in try await Self.remind(surroundings)
      },
      Self.repeating("anchors", every: Self.anchorInterval, surroundings) {
        () throws(ApplicationError) in
        try await anchoring.run()
      },
    ]
    repeated = LoopBound(parts, on: surroundings.loop)
    let loop = surroundings.loop
    surroundings.relayBell.heard {
      loop.execute { loop.schedule(after: SubscriptionRelay.gathering) { relay.wake() } }
    }
  }

  /// Starts the work. On the loop.
  package func start() {
    for work in repeated.value { work.start() }
  }

  /// Returns after the work in progress. On the loop.
  package func stop() async {
    for work in repeated.value { await work.stop() }
  }

  /// Appends all new samples to the subscribers' sequences, and ends the subscriptions that are
  /// over; returns the number of subscriptions handled. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func relay() async throws(ApplicationError) -> Int {
    try await relaying.value.everything()
  }

  /// Expires unanswered requests; returns their number. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func expire() async throws(ApplicationError) -> Int {
    try await Self.expire(surroundings)
  }

  /// Anchors the records of accesses; returns the number of records advanced. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func anchor() async throws(ApplicationError) -> Int {
    try await anchoring.run()
  }

  /// Work that logs its failures and is repeated after a pause.
  private static func repeating(
    _ name: StaticString, every interval: Duration, _ surroundings: Surroundings,
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Int
  ) -> RepeatingWork {
    RepeatingWork(on: surroundings.loop) {
      do throws(ApplicationError) {
        _ = try await work()
      } catch {
        surroundings.log.failure(
          "run background work failed", error, level: .warning, .word("work", name))
        return failureInterval
      }
      return interval
    }
  }

  /// Reminds both sides of subscriptions that end soon; returns their number. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func remind() async throws(ApplicationError) -> Int {
    try await Self.remind(surroundings)
  }

  private static func expire(_ surroundings: Surroundings) async throws(ApplicationError) -> Int {
    var total = 0
    while true {
      let expiry = ExpireRequests(now: surroundings.world.now(), countMax: batchMax)
      let count = try await surroundings.database.transaction {
        (transaction) throws(ApplicationError) in
        let rows = try await transaction.run(expiry)
        guard !rows.isEmpty else { return 0 }
        var events = EnterEvents(now: expiry.now)
        for row in rows {
          events.append(
            .answered, row.requestID, to: row.recipient, status: .expired)
        }
        try await transaction.run(events)
        let requests = try rows.map { (row) throws(ApplicationError) in try row.request() }
        try await surroundings.notices.add(
          requests.flatMap(RequestNotices.answered), in: transaction)
        return rows.count
      }
      total += count
      if count > 0 { surroundings.events.announce() }
      if count < batchMax { return total }
    }
  }

  private static func remind(_ surroundings: Surroundings) async throws(ApplicationError) -> Int {
    try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(
        RemindOfEnds(now: surroundings.world.now(), countMax: batchMax))
      try await surroundings.notices.add(
        rows.flatMap { row in
          [row.account, row.thirdParty].map {
            RequestNotices.endsSoon(row.requestID, at: row.endsAt, to: $0)
          }
        }, in: transaction)
      return rows.count
    }
  }
}
