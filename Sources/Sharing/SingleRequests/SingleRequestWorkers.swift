import Accounts
import EventLoop
import HealthRecords
import Operations
import Postgres
import ServiceKit

/// The background work of single requests: new samples enter the sequences of subscribers,
/// subscriptions end, unanswered requests expire (REQ-1), records of accesses are checkpointed.
///
/// Every replica runs it on one of its loops; replicas share the work by skipping locked rows.
package struct SingleRequestWorkers: Sendable {
  /// The interval between expiries; lists and responses show the expired status even before.
  package static let expiryInterval = Duration.seconds(5)
  /// The interval between searches for subscriptions that end soon.
  package static let remindInterval = Duration.seconds(60)
  /// The interval between checkpoints of the records of accesses.
  package static let checkpointInterval = Duration.seconds(1)
  /// The pause after a failure.
  package static let failureInterval = Duration.seconds(1)
  /// The maximum number of rows in one statement.
  static let batchMax: Int64 = 1_000

  private let dependencies: SharingDependencies
  private let checkpoints: AuditCheckpointWriter
  private let relaying: LoopBound<SubscriptionRelay>
  private let repeated: LoopBound<[PeriodicTask]>

  /// Workers that do nothing until `start`.
  package init(_ dependencies: SharingDependencies) {
    self.dependencies = dependencies
    let checkpoints = AuditCheckpointWriter(
      loop: dependencies.loop, database: dependencies.database,
      keysDatabase: dependencies.keysDatabase, root: dependencies.root, log: dependencies.log)
    self.checkpoints = checkpoints
    let relaying = LoopBound(
      SubscriptionRelay(
        loop: dependencies.loop, environment: dependencies.environment,
        database: dependencies.database,
        notices: dependencies.notices, events: dependencies.events,
        relayWakeUp: dependencies.relayWakeUp), on: dependencies.loop)
    self.relaying = relaying
    let relay = Self.repeating("relay", every: SubscriptionRelay.interval, dependencies) {
      () throws(ApplicationError) in try await relaying.value.turn()
    }
    let parts: [PeriodicTask] = [
      relay,
      Self.repeating("expiry", every: Self.expiryInterval, dependencies) {
        () throws(ApplicationError) in
        try await Self.expire(dependencies)
      },
      Self.repeating("reminders", every: Self.remindInterval, dependencies) {
        () throws(ApplicationError) in try await Self.remind(dependencies)
      },
      Self.repeating("checkpoints", every: Self.checkpointInterval, dependencies) {
        () throws(ApplicationError) in
        try await checkpoints.run()
      },
    ]
    repeated = LoopBound(parts, on: dependencies.loop)
    let loop = dependencies.loop
    dependencies.relayWakeUp.onSignal {
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
    try await Self.expire(dependencies)
  }

  /// Writes checkpoints of the records of accesses; returns the number of records advanced. On the
  /// loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func checkpoint() async throws(ApplicationError) -> Int {
    try await checkpoints.run()
  }

  /// Work that logs its failures and is repeated after a pause.
  private static func repeating(
    _ name: StaticString, every interval: Duration, _ dependencies: SharingDependencies,
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Int
  ) -> PeriodicTask {
    PeriodicTask(on: dependencies.loop) {
      do throws(ApplicationError) {
        _ = try await work()
      } catch {
        dependencies.log.failure(
          "run background work failed", error, level: .warning, .constant("work", name))
        return failureInterval
      }
      return interval
    }
  }

  /// Reminds both sides of subscriptions that end soon; returns their number. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func remind() async throws(ApplicationError) -> Int {
    try await Self.remind(dependencies)
  }

  private static func expire(_ dependencies: SharingDependencies) async throws(ApplicationError)
    -> Int
  {
    var total = 0
    while true {
      let expiry = ExpireRequests(now: dependencies.environment.now(), countMax: batchMax)
      let count = try await dependencies.database.transaction {
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
        try await dependencies.notices.add(
          requests.flatMap(RequestNotices.answered), in: transaction)
        return rows.count
      }
      total += count
      if count > 0 { dependencies.events.announce() }
      if count < batchMax { return total }
    }
  }

  private static func remind(_ dependencies: SharingDependencies) async throws(ApplicationError)
    -> Int
  {
    try await dependencies.database.transaction { (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(
        RemindOfEnds(now: dependencies.environment.now(), countMax: batchMax))
      try await dependencies.notices.add(
        rows.flatMap { row in
          [row.account, row.thirdParty].map {
            RequestNotices.endsSoon(row.requestID, at: row.endsAt, to: $0)
          }
        }, in: transaction)
      return rows.count
    }
  }
}
