import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Sharing
import Time
import Web

/// Sends a group request for a third party (R25-R31); its answer is ready when the call returns.
struct SendGroupRequest: Sendable {
  let groups: GroupRequests
  let prices: RequestPrices

  private var dependencies: GroupStatisticsDependencies { groups.dependencies }

  /// Creates the request, or repeats the answer of an earlier one under the same `Idempotency-Key`
  /// or `reqID`: a request is counted only once.
  func send(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let payload = try request.payload(SendGroupBody.self)
    let thirdParty = identity.account
    if let kept = try await dependencies.effects.kept(for: request, of: thirdParty) {
      return kept
    }
    if let requestID = payload.requestID,
      let earlier = try await IdentifiedRequest.find(requestID, in: dependencies.database)
    {
      return try repeated(earlier, payload, by: thirdParty)
    }
    let resolved = try await resolve(payload)
    let outcome = try await count(resolved, for: thirdParty)
    return try await dependencies.effects.run(request, for: thirdParty) {
      (transaction) throws(ApplicationError) in
      if let requestID = payload.requestID,
        let earlier = try await IdentifiedRequest.hold(requestID, in: transaction)
      {
        return try repeated(earlier, payload, by: thirdParty)
      }
      let row = InsertGroupRequest(
        payload.requestID ?? DataRequestID(dependencies.environment), of: thirdParty, resolved,
        outcome,
        price: prices.ofGroup(subscribing: resolved.terms.subscribing), in: dependencies.zone)
      try await transaction.run(row)
      if row.price > 0 {
        try await transaction.run(
          MakeDue(
            requestID: row.requestID, thirdParty: thirdParty, amount: row.price, now: resolved.time)
        )
      }
      if case .counted(let counted) = outcome, let period = resolved.period {
        try await groups.releasing.release(
          counted, period, resolved.terms.breakdown, to: row.requestID, in: transaction)
      }
      return answer(row.requestID, row.status, row.reason, isDue: row.price > 0)
    }
  }

  /// Resolves a payload to the query of this moment.
  ///
  /// - Throws: `invalid` with the field that is wrong.
  private func resolve(_ payload: SendGroupBody) async throws(ApplicationError)
    -> ResolvedGroupRequest
  {
    let now = dependencies.environment.now()
    let terms = try payload.terms(now: now.flooredToMilliseconds)
    let search = try payload.parameters()
    let places = try await groups.places(of: search)
    let lastClosed = try await groups.lastClosedDay()
    do throws(GroupRequestTermsError) {
      return ResolvedGroupRequest(
        terms: terms, searchTexts: payload.search, search: search, places: places,
        period: try terms.firstPeriod(lastClosed: lastClosed, zone: dependencies.zone),
        lastClosed: lastClosed, time: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }

  private func count(
    _ resolved: ResolvedGroupRequest, for thirdParty: AccountID
  ) async throws(ApplicationError) -> GroupOutcome? {
    guard let period = resolved.period else { return nil }
    return try await groups.count(
      CohortQuery(
        types: resolved.terms.types, breakdown: resolved.terms.breakdown, search: resolved.search,
        places: resolved.places, period: period),
      .requests, for: thirdParty)
  }

  /// - Throws: `invalid` for an identifier that another third party used, `keyReused` for another
  ///   content.
  private func repeated(
    _ earlier: IdentifiedRequest, _ payload: SendGroupBody, by thirdParty: AccountID
  ) throws(ApplicationError) -> Response {
    guard case .group(let row) = earlier, row.thirdParty == thirdParty,
      row.terms == payload.statedTerms, row.search == payload.search
    else { throw earlier.refusal(to: thirdParty) }
    let isRefused = row.status == .refused
    return answer(
      row.requestID, isRefused ? .refused : .approved, isRefused ? row.reason : nil,
      isDue: row.priceCents > 0)
  }

  private func answer(
    _ requestID: DataRequestID, _ status: StoredGroupStatus, _ reason: StoredGroupReason?,
    isDue: Bool
  ) -> Response {
    .json {
      $0.field("reqID", requestID.description)
      $0.field("status", isDue ? "payment due" : status.apiName)
      $0.fieldIfPresent("reason", reason?.apiName)
    }
  }
}

/// A group request with everything that is read before counting.
struct ResolvedGroupRequest: Sendable {
  let terms: GroupRequestTerms
  /// The search parameters as the client wrote them.
  let searchTexts: [String]
  let search: [SearchParameter]
  let places: SearchedPlaces
  /// The days of the first answer; nil for a subscription without a closed day.
  let period: ClosedRange<Int32>?
  /// The last day whose values are counted.
  let lastClosed: Int32
  let time: Instant
}

extension InsertGroupRequest {
  /// The row of a requested group; without an outcome there was nothing to count yet.
  init(
    _ requestID: DataRequestID, of thirdParty: AccountID, _ resolved: ResolvedGroupRequest,
    _ outcome: GroupOutcome?, price: Int64, in zone: TimeZoneRules
  ) {
    let terms = resolved.terms
    var (status, reason) = (StoredGroupStatus.approved, StoredGroupReason?.none)
    switch outcome {
    case .noData: (status, reason) = (.refused, .noData)
    case .tooFew: (status, reason) = (.refused, .tooFewPeople)
    case .counted, nil: break
    }
    let nextDay =
      resolved.period.map { $0.upperBound + 1 } ?? terms.firstDay(zone) ?? resolved.lastClosed + 1
    self.init(
      requestID: requestID, thirdParty: thirdParty, types: terms.types,
      search: resolved.searchTexts,
      breakdown: terms.breakdown?.stored ?? 0, isSubscribing: terms.subscribing,
      duration: terms.duration, fromTime: terms.from?.millisecondsSince1970,
      toTime: terms.to?.millisecondsSince1970, status: status, reason: reason,
      createdAt: resolved.time, endsAt: terms.end(from: resolved.time.flooredToMilliseconds),
      nextDay: terms.subscribing ? nextDay : nil, lookedDay: resolved.lastClosed,
      price: status == .refused ? 0 : price)
  }
}
