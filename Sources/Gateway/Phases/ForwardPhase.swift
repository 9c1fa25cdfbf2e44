import Domain
import HTTP
import Privacy
import PublicAPI

/// The request as a replica gets it: written anew, never the client's bytes.
package struct ForwardPhase {
  /// Who calls, as far as the service is to know.
  package struct Caller {
    /// The session and its token; nil where nobody needs one.
    package var identity: (session: Session, token: TokenHash)?
    /// The client's address as text.
    package var address: [UInt8]
    package var isSecure: Bool
    package var requestID: [UInt8]
    /// Whether AutomatedSOS monitors the account, as far as the gateway knows; said of uploads
    /// only.
    package var isWatched: Bool

    /// A caller of these parts.
    package init(
      identity: (session: Session, token: TokenHash)?, address: [UInt8], isSecure: Bool,
      requestID: [UInt8], isWatched: Bool = false
    ) {
      self.identity = identity
      self.address = address
      self.isSecure = isSecure
      self.requestID = requestID
      self.isWatched = isWatched
    }
  }

  /// The header by which services know the gateway.
  package let secret: [UInt8]
  /// What every request gets, for clients without TLS and with it.
  private let plainConstants: HTTPFields
  private let secureConstants: HTTPFields

  /// A phase that shows this secret.
  package init(secret: InternalSecret) {
    let value = secret.withHeaderValue { Array(copying: $0) }
    self.secret = value
    func constants(_ scheme: String) -> HTTPFields {
      var fields = HTTPFields()
      fields.append(.internalSecret, copying: value.span)
      fields.append(.xForwardedProto, scheme)
      return fields
    }
    plainConstants = constants("http")
    secureConstants = constants("https")
  }

  /// Makes a client's head the service's, where it stands: what is passed on is not copied.
  /// `bodyCount` is the length of a collected body; nil leaves what the client announced.
  ///
  /// Left out: what concerns one connection (RFC 9110, section 7.6.1, and what `Connection` names),
  /// the token and cookies, what says where the request came from, and every field of ours in
  /// whatever spelling. Set: who calls, from where, and the request's number.
  package func rewrite(
    _ head: inout RequestHead, authority: StaticString, caller: Caller, bodyCount: Int?,
    hidesToken: Bool
  ) {
    Self.clean(&head.fields)
    head.fields.rename(.host, to: .xForwardedHost)
    head.fields.append(.host, copying: "\(authority)".utf8Span.span)
    head.fields.append(contentsOf: caller.isSecure ? secureConstants : plainConstants)
    head.fields.append(.requestID, copying: caller.requestID.span)
    head.fields.append(.internalClient, copying: caller.address.span)
    head.fields.append(.xForwardedFor, copying: caller.address.span)
    if let identity = caller.identity { Self.append(identity, to: &head.fields) }
    if caller.isWatched { head.fields.append(.internalWatched, "1") }
    if hidesToken { head.setTarget(QueryToken.removed(from: head)) }
    head.isSecure = false
    if let bodyCount {
      head.contentLength = UInt64(bodyCount)
      head.hasBody = bodyCount > 0
    }
  }

  private static func append(
    _ identity: (session: Session, token: TokenHash), to fields: inout HTTPFields
  ) {
    fields.append(.internalAccount, Int(identity.session.account.rawValue))
    fields.append(.internalKind, identity.session.kind == .singleUser ? "single" : "tp")
    fields.append(.internalSession) { bytes in
      Hexadecimal.append(identity.token.digest.inlineBytes.span, to: &bytes)
    }
    guard let bearer = identity.session.bearer.fieldValue else { return }
    fields.append(.internalBearer, bearer)
  }

  private static func clean(_ fields: inout HTTPFields) {
    let named = ConnectionField.namedFields(of: fields)
    fields.removeAll { known, name in
      guard let known else {
        return InternalNames.isInternal(name) || named.contains { name.equals($0) }
      }
      return isLeftOut(known) || named.contains { $0.span.equals(known.text) }
    }
  }

  private static func isLeftOut(_ name: FieldName) -> Bool {
    switch name {
    case .contentLength, .authorization, .cookie, .expect, .forwarded, .requestID,
      .xForwardedFor, .xForwardedHost, .xForwardedProto, .server, .setCookie:
      true
    default: name.isHopByHop || name.isInternal
    }
  }
}
