import Accounts
import Domain
import EventLoop
import HealthRecords
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Sends the request of a third party to one person (R10, R11, R18-R20, R22, REQ-6).
struct SendSingleRequest: Sendable {
  let environment: Environment
  let accountKeys: AccountKeys
  let effects: IdempotentEffects
  let notices: Notices
  let events: ThirdPartyEvents
  let directory: AccountDirectory
  let samples: SampleStore
  let answerWithinSeconds: Int64
  let prices: RequestPrices

  /// Creates the request, or repeats the response of an earlier one under the same `reqID`.
  func send(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let payload = try request.payload(SendSingleBody.self)
    let addressee = try payload.addressee()
    defer {
      events.announce()
      notices.announce()
    }
    return try await effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      if let requestID = payload.requestID,
        let earlier = try await IdentifiedRequest.hold(requestID, in: transaction)
      {
        return try await repeated(earlier, payload, addressee, by: identity.account)
      }
      return try await make(payload, addressee, by: identity.account, in: transaction)
    }
  }

  private func make(
    _ payload: SendSingleBody, _ addressee: SingleRequestAddressee, by thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Response {
    let now = environment.now().flooredToMilliseconds
    let terms = try payload.terms(now: now)
    let singleUser = try await singleUser(addressee, whoHas: terms.types)
    let (held, advances) = try await transaction.run(
      HoldAccounts(accounts: [singleUser, thirdParty]),
      HoldTrustedThirdParty(account: singleUser, thirdParty: thirdParty))
    guard held.count == 2 else { throw Self.nobody }
    let inAdvance = advances.first
    if inAdvance == nil {
      try await PendingRequests.makeRoom(
        of: thirdParty, to: singleUser, at: now, in: transaction)
    }
    var request = SingleRequest(
      id: payload.requestID ?? DataRequestID(environment), thirdParty: thirdParty,
      singleUser: singleUser,
      terms: terms, now: now, answerWithinSeconds: answerWithinSeconds)
    let price = prices.ofSingle(subscribing: terms.subscribing)
    let key = try await accountKeys.key(of: thirdParty)
    try await transaction.run(
      InsertRequest(
        request, sealedAddressee: SealedAddressee.seal(addressee, of: request.id, with: key),
        isByEmail: addressee.isEmail, trustedAt: inAdvance, price: price))
    if inAdvance != nil { try await acceptInAdvance(&request, price, in: transaction) }
    var notified = [RequestNotices.asked(request)]
    if inAdvance != nil { notified += RequestNotices.answered(request) }
    try await notices.add(notified, in: transaction)
    return answer(request.id, request.status)
  }

  /// Accepts by the person's list, which includes this third party (REQ-3) and is an answer in
  /// advance: to the request as sent, with the rights of any acceptance.
  private func acceptInAdvance(
    _ request: inout SingleRequest, _ price: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await RequestAcceptance(environment: environment).accept(
      &request, price: price, in: transaction)
    guard try await transaction.runOne(ChangeRequest(request, from: .pending)) != nil else {
      throw .internalError(because: "A new request is not pending.")
    }
    try await events.changed(request, in: transaction)
  }

  /// The active person with this email or fiscal code, and with data of at least one of these
  /// types.
  ///
  /// An unknown or inactive person is indistinguishable from one without such data: the same
  /// queries run in the same order, and the error is the same (R22).
  ///
  /// - Throws: `unauthenticated` with `Wrong parameters`.
  private func singleUser(
    _ addressee: SingleRequestAddressee, whoHas types: DataTypeSet
  ) async throws(ApplicationError) -> AccountID {
    let found: AccountID?
    switch addressee {
    case .email(let email): found = try await directory.activeSingleUser(email)
    case .fiscalCode(let code): found = try await directory.activeSingleUser(code)
    }
    // Accounts are numbered from 1, so this one does not exist.
    let account = found ?? AccountID(rawValue: 0)
    let available = try await samples.availableTypes(of: account)
    guard found != nil, !available.intersection(types).isEmpty else {
      throw Self.nobody
    }
    return account
  }

  private static let nobody = ApplicationError.unauthenticated(
    "Wrong parameters",
    detail: "No active user has this email or fc and data of one of these types.")

  /// The first response, for the same third party and the same content.
  ///
  /// - Throws: `invalid` for an identifier that another third party used, `keyReused` for another
  ///   content.
  private func repeated(
    _ earlier: IdentifiedRequest, _ payload: SendSingleBody,
    _ addressee: SingleRequestAddressee, by thirdParty: AccountID
  ) async throws(ApplicationError) -> Response {
    guard case .single(let row) = earlier, row.thirdParty == thirdParty else {
      throw earlier.refusal(to: thirdParty)
    }
    let key = try await accountKeys.key(of: thirdParty)
    let earlierAddressee = try SealedAddressee.open(row, with: key)
    let isSame =
      row.isByEmail == addressee.isEmail && row.terms == payload.statedTerms
      && addressee.text == earlierAddressee
    guard isSame else { throw .identifierReused("reqID") }
    return answer(row.requestID, row.statusWhenSent)
  }

  private func answer(
    _ identifier: DataRequestID, _ status: SingleRequestStatus
  ) -> Response {
    .json {
      $0.field("reqID", identifier.description)
      $0.field("status", status.rawValue)
    }
  }
}
