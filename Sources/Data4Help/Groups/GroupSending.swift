import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// Sends a group request for a third party (R25-R31); its answer is ready when the call returns.
struct GroupSending: Sendable {
  let groups: GroupRequests
  let prices: RequestPrices

  private var surroundings: Surroundings { groups.surroundings }

  /// Makes the request, or repeats the answer of an earlier one under the same `Idempotency-Key` or
  /// `reqID`: a request is counted only once.
  func send(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let payload = try request.payload(SendGroupPayload.self)
    let thirdParty = identity.account
    if let kept = try await surroundings.effects.kept(for: request, of: thirdParty) {
      return kept
    }
    if let requestID = payload.requestID,
      let earlier = try await IdentifiedRequest.find(requestID, in: surroundings.database)
    {
      return try repeated(earlier, payload, by: thirdParty)
    }
    let asked = try await asked(payload)
    let outcome = try await count(asked, for: thirdParty)
    return try await surroundings.effects.run(request, for: thirdParty) {
      (transaction) throws(ApplicationError) in
      if let requestID = payload.requestID,
        let earlier = try await IdentifiedRequest.hold(requestID, in: transaction)
      {
        return try repeated(earlier, payload, by: thirdParty)
      }
      let row = InsertGroupRequest(
        payload.requestID ?? DataRequestID(surroundings.world), of: thirdParty, asked, outcome,
        price: prices.ofGroup(subscribing: asked.terms.subscribing), in: surroundings.zone)
      try await transaction.run(row)
      if row.price > 0 {
        try await transaction.run(
          MakeDue(
            requestID: row.requestID, thirdParty: thirdParty, amount: row.price, now: asked.time))
      }
      if case .counted(let counted) = outcome, let period = asked.period {
        try await groups.releasing.release(
          counted, period, asked.terms.breakdown, to: row.requestID, in: transaction)
      }
      return answer(row.requestID, row.status, row.reason, isDue: row.price > 0)
    }
  }

  /// The query of a payload at this moment.
  ///
  /// - Throws: `invalid` with the field that is wrong.
  private func asked(_ payload: SendGroupPayload) async throws(ApplicationError) -> AskedGroup {
    let now = surroundings.world.now()
    let terms = try payload.terms(now: now.timestamp)
    let search = try payload.parameters()
    let places = try await groups.places(of: search)
    let lastClosed = try await groups.lastClosedDay()
    do throws(GroupRequestTermsError) {
      return AskedGroup(
        terms: terms, words: payload.search, search: search, places: places,
        period: try terms.firstPeriod(lastClosed: lastClosed, zone: surroundings.zone),
        lastClosed: lastClosed, time: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }

  private func count(
    _ asked: AskedGroup, for thirdParty: AccountID
  ) async throws(ApplicationError) -> GroupOutcome? {
    guard let period = asked.period else { return nil }
    return try await groups.count(
      GroupQuestion(
        types: asked.terms.types, breakdown: asked.terms.breakdown, search: asked.search,
        places: asked.places, period: period),
      .requests, for: thirdParty)
  }

  /// - Throws: `invalid` for an identifier that another third party used, `keyReused` for another
  ///   content.
  private func repeated(
    _ earlier: IdentifiedRequest, _ payload: SendGroupPayload, by thirdParty: AccountID
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
      $0.field("status", isDue ? "payment due" : status.word)
      $0.fieldIfPresent("reason", reason?.words)
    }
  }
}

/// A requested group, with everything that is read before counting.
struct AskedGroup: Sendable {
  let terms: GroupRequestTerms
  /// The search parameters as the client wrote them.
  let words: [String]
  let search: [SearchParameter]
  let places: SearchedPlaces
  /// The days of the first answer; nil for a subscription without a closed day.
  let period: ClosedRange<Int32>?
  /// The last day whose values are counted.
  let lastClosed: Int32
  let time: WallTime
}

extension InsertGroupRequest {
  /// The row of a requested group; without an outcome there was nothing to count yet.
  init(
    _ requestID: DataRequestID, of thirdParty: AccountID, _ asked: AskedGroup,
    _ outcome: GroupOutcome?, price: Int64, in zone: TimeZoneRules
  ) {
    let terms = asked.terms
    var (status, reason) = (StoredGroupStatus.approved, StoredGroupReason?.none)
    switch outcome {
    case .noData: (status, reason) = (.refused, .noData)
    case .tooFew: (status, reason) = (.refused, .tooFewPeople)
    case .counted, nil: break
    }
    let nextDay =
      asked.period.map { $0.upperBound + 1 } ?? terms.firstDay(zone) ?? asked.lastClosed + 1
    self.init(
      requestID: requestID, thirdParty: thirdParty, types: terms.types, search: asked.words,
      breakdown: terms.breakdown?.stored ?? 0, isSubscribing: terms.subscribing,
      duration: terms.duration, fromTime: terms.from?.millisecondsSince1970,
      toTime: terms.to?.millisecondsSince1970, status: status, reason: reason,
      createdAt: asked.time, endsAt: terms.end(from: asked.time.timestamp).map(WallTime.init),
      nextDay: terms.subscribing ? nextDay : nil, lookedDay: asked.lastClosed,
      price: status == .refused ? 0 : price)
  }
}
