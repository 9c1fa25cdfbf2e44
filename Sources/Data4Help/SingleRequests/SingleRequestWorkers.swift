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
  /// How often unanswered requests are looked for; their status in lists and answers does not wait
  /// for it.
  package static let expiryInterval = Duration.seconds(5)
  /// How often subscriptions that end soon are looked for.
  package static let remindInterval = Duration.seconds(60)
  /// How often records of accesses are anchored.
  package static let anchorInterval = Duration.seconds(1)
  /// How long work rests after a failure.
  package static let failureInterval = Duration.seconds(1)
  /// Rows that one statement takes on.
  static let batchMax: Int64 = 1_000

  private let surroundings: Surroundings
  private let anchoring: AccessAnchoring
  private let relaying: LoopBound<SubscriptionRelay>
  private let repeated: LoopBound<[RepeatingWork]>

  /// Workers that stand still until `start`.
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
  package func relay() async throws(ApplicationError) -> Int {
    try await relaying.value.everything()
  }

  /// Lets unanswered requests expire; gives how many did. On the loop.
  ///
  /// - Throws: 503 if the database is away.
  package func expire() async throws(ApplicationError) -> Int {
    try await Self.expire(surroundings)
  }

  /// Anchors the records of accesses; gives how many moved on. On the loop.
  ///
  /// - Throws: 503 if a database is away.
  package func anchor() async throws(ApplicationError) -> Int {
    try await anchoring.run()
  }

  /// Work that logs its failures and tries again after the same rest.
  private static func repeating(
    _ name: StaticString, every interval: Duration, _ surroundings: Surroundings,
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Int
  ) -> RepeatingWork {
    RepeatingWork(on: surroundings.loop) {
      do throws(ApplicationError) {
        _ = try await work()
      } catch {
        surroundings.log.failure(
          "background work failed", error, level: .warning, .word("work", name))
        return failureInterval
      }
      return interval
    }
  }

  /// Reminds both sides of subscriptions that end soon; gives how many. On the loop.
  ///
  /// - Throws: 503 if a database is away.
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
