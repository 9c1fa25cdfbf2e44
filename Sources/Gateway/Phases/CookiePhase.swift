import Cryptography
import HTTP
import PublicAPI

/// Accepts the session's cookie in place of a token (decision 0041).
///
/// A browser adds a cookie to requests that another site causes, so the cookie alone does not show
/// that the person wanted the call. `SameSite=Strict` already withholds it from other sites; the
/// checks here also exclude sibling domains and browsers without that attribute.
package enum CookiePhase {
  /// The origin of the page that made a request.
  private enum Origin {
    /// One of our own pages.
    case own
    /// None: the person entered the address, or the client is not a browser.
    case direct
    /// A page of another origin.
    case other
  }

  /// The token in the cookie; nil if there is no cookie. `other` is the token in any other place.
  ///
  /// Failures: 400 for a cookie beside another token, and for several cookies of the name.
  package static func token(
    of head: RequestHead, besides other: IdentifyPhase.Presented
  ) throws(Problem) -> [UInt8]? {
    let values = SessionCookie.values(in: head.fields)
    guard let value = values.first else { return nil }
    guard values.count == 1 else {
      throw .malformed("Send one cookie \(SessionCookie.name).", field: SessionCookie.name)
    }
    guard other == .nothing else {
      throw .malformed("Send the session's cookie or a token, not both.", field: SessionCookie.name)
    }
    return value
  }

  /// Checks the page's origin by the head alone, so that a body never hides a forged request: of a
  /// call with the cookie over TLS, and of a login, whose session would replace the person's.
  ///
  /// Failure: 403 for a call of another origin, and for a change with the cookie that does not show
  /// the page's origin.
  package static func checkOrigin(
    of head: RequestHead, for endpoint: Endpoint, isSecure: Bool
  ) throws(Problem) {
    let needsOrigin =
      isSecure && endpoint.caller != .anyone && !SessionCookie.values(in: head.fields).isEmpty
    guard needsOrigin || endpoint.opensSession else { return }
    switch origin(of: head, isSecure: isSecure) {
    case .own: return
    case .direct: if needsOrigin && endpoint.changesState { throw wrongOrigin }
    case .other: throw wrongOrigin
    }
  }

  /// Checks whether the cookie counts for this connection.
  ///
  /// Failure: the endpoint's refusal without TLS.
  package static func checkTransport(of endpoint: Endpoint, isSecure: Bool) throws(Problem) {
    guard !isSecure else { return }
    let refusal = endpoint.caller.refusal ?? .wrongToken
    throw refusal.problem("The session's cookie is accepted over HTTPS only.")
  }

  /// The token as presented; only a login's token is valid in a cookie.
  package static func judge(
    _ token: [UInt8], _ tokens: VerifiedTokens
  ) -> IdentifyPhase.Presented {
    do throws(CryptographyError) {
      let token = try tokens.verify(token.span)
      return token.kind == .session ? .genuine(token.hash) : .wrong
    } catch {
      return .wrong
    }
  }

  private static var wrongOrigin: Problem {
    ErrorAnswer.wrongOrigin.problem(
      "TrackMe's own pages alone may use the session's cookie: send Sec-Fetch-Site: same-origin, "
        + "or an Origin that equals the address of this request.")
  }

  /// Reads the origin from `Sec-Fetch-Site` (W3C Fetch Metadata), which scripts can't set, or from
  /// `Origin` if a browser does not send it.
  private static func origin(of head: RequestHead, isSecure: Bool) -> Origin {
    let site = head.fields.withValue("sec-fetch-site") { site -> Origin in
      site.equals("same-origin") ? .own : site.equals("none") ? .direct : .other
    }
    if let site { return site }
    guard let origin = head.fields[.origin] else { return .direct }
    let own = "\(isSecure ? "https" : "http")://\(head.authority ?? "")"
    return origin.lowercased() == own.lowercased() ? .own : .other
  }
}
