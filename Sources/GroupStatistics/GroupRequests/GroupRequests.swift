import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Sharing
import Time
import Web

/// Group requests (R25-R32): what sending and subscriptions share, and the end of a subscription.
package struct GroupRequests: GroupRequestAnswers {
  let dependencies: GroupStatisticsDependencies
  let counting: GroupCounting
  let releasing: GroupReleasing
  private let delivery: GroupDelivery
  private let limiter: LoopBound<ConcurrencyLimiter>

  /// Requests over people who are counted from `seasoningDays` after their activation (GRP-3);
  /// counting runs on these threads, and releases have this noise of each person and of each
  /// release.
  package init(
    _ dependencies: GroupStatisticsDependencies, threads: BlockingPool, seasoningDays: Int,
    personNoise: PersonNoise, noise: ReleaseNoise
  ) {
    self.dependencies = dependencies
    counting = GroupCounting(
      environment: dependencies.environment, database: dependencies.database,
      root: dependencies.root,
      zone: dependencies.zone, threads: threads, seasoningDays: seasoningDays,
      personNoise: personNoise)
    releasing = GroupReleasing(
      environment: dependencies.environment, counting: counting, noise: noise)
    delivery = GroupDelivery(
      environment: dependencies.environment, database: dependencies.database,
      zone: dependencies.zone)
    limiter = LoopBound(ConcurrencyLimiter(), on: dependencies.loop)
  }

  package func deliver(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response? {
    try await delivery.deliver(request, identity)
  }

  package func newest(
    _ requestID: DataRequestID, for thirdParty: AccountID, _ format: String,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [UInt8]? {
    try await delivery.newest(requestID, for: thirdParty, format, in: transaction)
  }

  /// The places that a search names.
  ///
  /// - Throws: `invalid` for an unknown place, `unavailable`.
  func places(of search: [SearchParameter]) async throws(ApplicationError) -> SearchedPlaces {
    try await PlaceSearch(database: dependencies.database).find(search)
  }

  /// Counts, one request at a time: concurrent counts would compete for the same disks and cores.
  ///
  /// - Throws: `rateLimited` when the account has too many waiting counts already, `unavailable`
  ///   when too many counts wait.
  func count(
    _ query: CohortQuery, _ work: ConcurrencyLimiter.WorkClass, for account: AccountID
  ) async throws(ApplicationError) -> GroupOutcome {
    try await inTurn(work, for: account) { () throws(ApplicationError) in
      try await counting.count(query)
    }
  }

  /// Runs `body`, which counts, when it is the account's turn.
  ///
  /// - Throws: `rateLimited` when the account has too many waiting counts already, `unavailable`
  ///   when too many counts wait, and the errors of `body`.
  func inTurn<Value>(
    _ work: ConcurrencyLimiter.WorkClass, for account: AccountID,
    _ body: () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value {
    let limiter = limiter.value
    do throws(ConcurrencyLimiter.Refusal) {
      try await limiter.enter(work, for: account)
    } catch {
      switch error {
      case .accountIsFull:
        throw .rateLimited(
          "Too many of your group counts are waiting already", retryAfter: 5)
      case .classIsFull: throw .unavailable(retryAfter: 5)
      }
    }
    defer { limiter.leave() }
    return try await body()
  }

  /// The last day whose values are counted for all people; yesterday before the first worker ran.
  func lastClosedDay() async throws(ApplicationError) -> Int32 {
    if let day = try await dependencies.database.row(LastClosedDay()) ?? nil { return day }
    let now = dependencies.environment.now().flooredToMilliseconds
    return Int32(dependencies.zone.day(of: now).daysSince1970) - 1
  }

  /// Ends a subscription (R32); nil if this third party has no group request with the identifier.
  package func end(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response? {
    let payload = try request.payload(RequestIdentifierBody.self)
    let found = try await dependencies.database.row(
      GroupRequestByID(requestID: payload.requestID))
    guard let found, found.thirdParty == identity.account else { return nil }
    return try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      let now = dependencies.environment.now()
      let lock = LockGroupRequest(requestID: payload.requestID)
      guard let row = try await transaction.runOne(lock), row.isSubscribing,
        row.standing(at: now).status == .approved
      else { throw .conflict("The request is not an active subscription.") }
      try await transaction.run(
        EndGroupRequest(requestID: payload.requestID, reason: .thirdParty))
      return .message("Action successful")
    }
  }
}
