import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// Group requests (R25-R32): asking, the list, the data, the end.
package struct GroupRequests: Sendable {
  let surroundings: Surroundings
  let counting: GroupCounting
  let releasing: GroupReleasing
  private let gate: LoopBound<GroupGate>

  /// Requests over people who count `seasoningDays` after they were activated (GRP-3), counted on
  /// these threads.
  package init(_ surroundings: Surroundings, threads: BlockingPool, seasoningDays: Int) {
    self.surroundings = surroundings
    counting = GroupCounting(surroundings, threads: threads, seasoningDays: seasoningDays)
    releasing = GroupReleasing(surroundings: surroundings, counting: counting)
    gate = LoopBound(GroupGate(), on: surroundings.loop)
  }

  /// Asks; the answer is there when this returns.
  func send(_ request: Request, _ identity: Identity) async throws(Problem) -> Response {
    let payload = try request.payload(SendGroupPayload.self)
    let terms = try payload.terms(now: surroundings.world.now().timestamp)
    let search = try payload.parameters()
    let places = try await places(of: search)
    if let requestID = payload.requestID {
      try await refuseSingle(requestID, of: identity.account)
      if let earlier = try await surroundings.database.row(
        GroupRequestByID(requestID: requestID))
      {
        return try repeated(earlier, payload, terms, by: identity.account)
      }
    }
    let lastClosed = try await lastClosedDay()
    let period: ClosedRange<Int32>?
    do throws(GroupRequestTermsError) {
      period = try terms.firstPeriod(lastClosed: lastClosed, zone: surroundings.zone)
    } catch {
      throw .malformed(error, field: error.field)
    }
    var outcome: GroupOutcome?
    if let period {
      outcome = try await count(
        GroupQuestion(
          types: terms.types, breakdown: terms.breakdown, search: search, places: places,
          period: period))
    }
    let requestID = payload.requestID ?? DataRequestID(surroundings.world)
    let insert = insertion(
      requestID, identity.account, terms, payload.search, outcome, period, lastClosed)
    return try await surroundings.effects.run(request, for: identity.account.rawValue) {
      (transaction) throws(Problem) in
      guard try await transaction.runOne(insert) != nil else {
        // The identifier was taken meanwhile.
        guard
          let earlier = try await transaction.runOne(GroupRequestByID(requestID: requestID))
        else { throw .unavailable(retryAfter: 1) }
        return try repeated(earlier, payload, terms, by: identity.account)
      }
      if case .counted(let counted) = outcome, let period {
        try await releasing.release(
          counted, period, terms.breakdown, to: requestID, in: transaction)
      }
      return answer(requestID, insert.status, insert.reason)
    }
  }

  /// The places that a search names.
  ///
  /// - Throws: 400 for a place that nobody knows, 503.
  func places(of search: [SearchParameter]) async throws(Problem) -> SearchedPlaces {
    try await PlaceSearch(database: surroundings.database).find(search)
  }

  /// Counts, one request at a time: a few at once would share the same disks and cores.
  ///
  /// - Throws: 503 when too many wait.
  func count(_ question: GroupQuestion) async throws(Problem) -> GroupOutcome {
    let gate = gate.value
    guard await gate.enter() else { throw .unavailable(retryAfter: 5) }
    defer { gate.leave() }
    return try await counting.count(question)
  }

  /// The day up to which everybody's values are counted; yesterday before the first worker ran.
  func lastClosedDay() async throws(Problem) -> Int32 {
    if let day = try await surroundings.database.row(LastClosedDay()) ?? nil { return day }
    let now = surroundings.world.now().timestamp
    return Int32(surroundings.zone.day(of: now).daysSince1970) - 1
  }

  private func insertion(
    _ requestID: DataRequestID, _ thirdParty: AccountID, _ terms: GroupRequestTerms,
    _ search: [String], _ outcome: GroupOutcome?, _ period: ClosedRange<Int32>?,
    _ lastClosed: Int32
  ) -> InsertGroupRequest {
    let now = surroundings.world.now()
    var (status, reason) = (StoredGroupStatus.approved, StoredGroupReason?.none)
    switch outcome {
    case .noData: (status, reason) = (.refused, .noData)
    case .tooFew: (status, reason) = (.refused, .tooFewPeople)
    case .counted, nil: break
    }
    return InsertGroupRequest(
      requestID: requestID, thirdParty: thirdParty, types: terms.types, search: search,
      breakdown: terms.breakdown?.stored ?? 0, isSubscribing: terms.subscribing,
      durationSeconds: terms.duration?.seconds, fromTime: terms.from?.millisecondsSince1970,
      toTime: terms.to?.millisecondsSince1970, status: status, reason: reason, createdAt: now,
      endsAt: terms.end(from: now.timestamp).map(WallTime.init),
      nextDay: terms.subscribing
        ? (period?.upperBound).map { $0 + 1 } ?? terms.firstDay(surroundings.zone)
          ?? lastClosed + 1 : nil,
      lookedDay: lastClosed)
  }

  /// - Throws: 400 for an identifier that another third party used, 422 for another content.
  private func repeated(
    _ row: GroupRequestRow, _ payload: SendGroupPayload, _ terms: GroupRequestTerms,
    by thirdParty: AccountID
  ) throws(Problem) -> Response {
    guard row.thirdParty == thirdParty else {
      throw .malformed("This reqID is in use; choose another.", field: "reqID")
    }
    guard row.terms == terms, row.search == payload.search else { throw .keyReused }
    let isRefused = row.status == .refused
    return answer(row.requestID, isRefused ? .refused : .approved, isRefused ? row.reason : nil)
  }

  /// - Throws: 400 or 422 for an identifier of a single request.
  private func refuseSingle(
    _ requestID: DataRequestID, of thirdParty: AccountID
  ) async throws(Problem) {
    guard let single = try await surroundings.database.row(RequestByID(requestID: requestID))
    else { return }
    guard single.thirdParty == thirdParty else {
      throw .malformed("This reqID is in use; choose another.", field: "reqID")
    }
    throw .keyReused
  }

  private func answer(
    _ requestID: DataRequestID, _ status: StoredGroupStatus, _ reason: StoredGroupReason?
  ) -> Response {
    .json {
      $0.field("reqID", requestID.description)
      $0.field("status", status.word)
      $0.fieldIfPresent("reason", reason?.words)
    }
  }

  /// Ends a subscription (R32); nil if no group request of this third party has the identifier.
  func end(_ request: Request, _ identity: Identity) async throws(Problem) -> Response? {
    let payload = try request.payload(RequestNamePayload.self)
    let found = try await surroundings.database.row(
      GroupRequestByID(requestID: payload.requestID))
    guard let found, found.thirdParty == identity.account else { return nil }
    return try await surroundings.effects.run(request, for: identity.account.rawValue) {
      (transaction) throws(Problem) in
      let now = surroundings.world.now()
      let lock = LockGroupRequest(requestID: payload.requestID)
      guard let row = try await transaction.runOne(lock), row.isSubscribing,
        row.standing(at: now).status == .approved
      else { throw .wrongState("The request is no subscription that is in force.") }
      try await transaction.run(
        EndGroupRequest(requestID: payload.requestID, reason: .thirdParty))
      return .message("Action successful")
    }
  }
}

/// Lets one count at a time; the others wait in a row, up to a limit. For one loop.
final class GroupGate {
  /// Requests that wait at most; beyond them everybody is told to come again.
  static let waitingMax = 16

  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Returns when it is the caller's turn; false, at once, where too many wait.
  func enter() async -> Bool {
    guard isBusy else {
      isBusy = true
      return true
    }
    guard waiting.count < Self.waitingMax else { return false }
    await withCheckedContinuation { waiting.append($0) }
    return true
  }

  /// Lets the next one in.
  func leave() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }
}
