import Cryptography
import Domain
import HTTP
import PublicAPI
import Time
import Web

/// Identifies the caller.
package enum IdentifyPhase {
  /// The token of a request, in any of the places where one may be.
  package enum Presented: Equatable {
    case nothing
    /// A malformed or forged token, or one that was not issued for calling the API.
    case wrong
    /// A token with a valid authentication code, to be looked up by its hash.
    case genuine(TokenHash)
  }

  /// The decision about the request.
  package enum Verdict: Equatable {
    /// The endpoint needs no token.
    case anyone
    /// The session is open, and its account's kind may call the endpoint.
    case session(Session, TokenHash)
    /// The token is not in memory and must be looked up in the database.
    case unknown(TokenHash)
  }

  /// Reads the token of `Authorization: Bearer`, of the parameter `authToken` of a GET, and of the
  /// field `authToken` of the body. A forged token is detected here, by its authentication code
  /// alone.
  ///
  /// Failure: 400 if several different tokens are present.
  package static func read(
    _ head: RequestHead, _ query: Query?, bodyToken: String?, _ tokens: VerifiedTokens
  ) throws(Problem) -> Presented {
    let queryToken = head.method == .get || head.method == .head ? query?["authToken"] : nil
    if let queryToken, let bodyToken, queryToken != bodyToken { throw disagreement }
    let other = queryToken ?? bodyToken
    guard head.fields.contains(.authorization) else {
      guard let other else { return .nothing }
      return judge(other.utf8Span.span, tokens)
    }
    let expected = other.map { Array($0.utf8) }
    var presented: Presented?
    var isAgreed = true
    head.fields.forEach(named: .authorization) { value in
      let start = bearerStart(value)
      let token = value.extracting((start ?? 0)..<value.count)
      if let expected, start == nil || !token.equals(expected.span) { isAgreed = false }
      let found: Presented = start == nil ? .wrong : judge(token, tokens)
      if presented != nil, presented != found || found == .wrong { isAgreed = false }
      presented = found
    }
    guard isAgreed else { throw disagreement }
    return presented ?? .nothing
  }

  /// Decides by the sessions in memory.
  ///
  /// Failure: the endpoint's own refusal (401 with `WWW-Authenticate`, or 403) for a missing, wrong
  /// or ended token, and for one of the wrong kind of account.
  package static func decide(
    _ presented: Presented, for plan: EndpointPlan, in sessions: SessionTable, at now: Instant
  ) throws(Problem) -> Verdict {
    guard let refusal = plan.refusal else { return .anyone }
    guard case .genuine(let token) = presented else { throw refusal.problem(needsToken) }
    switch sessions.find(token, at: now) {
    case .open(let session):
      try check(session, for: plan, refusal)
      return .session(session, token)
    case .absent: throw refusal.problem(needsToken)
    case .unknown: return .unknown(token)
    }
  }

  /// Rejects the wrong kind of account or token with the status and text of a wrong token.
  static func check(
    _ session: Session, for plan: EndpointPlan, _ refusal: ErrorAnswer
  ) throws(Problem) {
    guard plan.endpoint.admits(session.kind, session.bearer) else {
      throw refusal.problem(
        "This token is not valid for this endpoint: \(plan.endpoint.caller.admitted)")
    }
  }

  /// The advice if the token is missing, unknown or ended.
  static let needsToken =
    "Send `Authorization: Bearer` with the `authToken` of `/auth/login`, or with a key or device "
    + "token that is valid for this endpoint."

  private static var disagreement: Problem {
    .malformed("The tokens of this request do not agree.", field: "authToken")
  }

  static func judge(_ text: Span<UInt8>, _ tokens: VerifiedTokens) -> Presented {
    do throws(CryptographyError) {
      let token = try tokens.verify(text)
      switch token.kind {
      case .session, .apiKey, .device: return .genuine(token.hash)
      case .activation, .passwordReset, .pairing, .contact: return .wrong
      }
    } catch {
      return .wrong
    }
  }

  /// The token in `Bearer TOKEN`; nil for another scheme.
  static func bearerToken(_ value: Span<UInt8>) -> [UInt8]? {
    bearerStart(value).map { Array(copying: value.extracting($0..<value.count)) }
  }

  /// The index of the token in `Bearer TOKEN` (RFC 6750, section 2.1); nil for another scheme.
  private static func bearerStart(_ value: Span<UInt8>) -> Int? {
    let scheme: StaticString = "bearer "
    guard value.count > scheme.utf8CodeUnitCount,
      value.extracting(0..<scheme.utf8CodeUnitCount).equalsIgnoringCase(scheme)
    else { return nil }
    var start = scheme.utf8CodeUnitCount
    while start < value.count, value[start] == UInt8(ascii: " ") { start += 1 }
    return start
  }
}
