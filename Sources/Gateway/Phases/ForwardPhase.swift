import Cryptography
import Domain
import HTTP
import Operations
import PublicAPI

/// Builds the request for a replica. It is serialised again; the client's bytes are never
/// forwarded.
package struct ForwardPhase {
  /// The caller, as far as the service needs to know.
  package struct Caller {
    /// The session and its token; nil for an endpoint without token.
    package var identity: (session: Session, token: TokenHash)?
    /// The client's address as text.
    package var address: [UInt8]
    package var isSecure: Bool
    package var requestID: [UInt8]
    /// Whether AutomatedSOS monitors the account, as far as the gateway knows; sent with uploads
    /// only.
    package var isWatched: Bool
    /// Whether the token came in the session's cookie; sent where the answer may renew it only.
    package var hasCookie: Bool
    /// The trace of the client with the gateway as parent; nil for a request that names none.
    package var trace: TraceParent?

    /// Creates a caller from its parts.
    package init(
      identity: (session: Session, token: TokenHash)?, address: [UInt8], isSecure: Bool,
      requestID: [UInt8], isWatched: Bool = false, hasCookie: Bool = false,
      trace: TraceParent? = nil
    ) {
      self.identity = identity
      self.address = address
      self.isSecure = isSecure
      self.requestID = requestID
      self.isWatched = isWatched
      self.hasCookie = hasCookie
      self.trace = trace
    }
  }

  /// The header value that authenticates the gateway to the services.
  private let secret: [UInt8]
  /// The fields added to every request, for clients without TLS and with TLS.
  private let plainConstants: HTTPFields
  private let secureConstants: HTTPFields

  /// Creates a phase that sends this secret.
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

  /// The head of a health check of a service.
  func healthHead(of service: StaticString) -> RequestHead {
    var head = RequestHead(.get, "/health", authority: service.description)
    head.fields.append(.internalSecret, copying: secret.span)
    return head
  }

  /// Turns a client's head into the head for the service, in place: fields that stay are not
  /// copied. `bodyCount` is the length of a collected body; nil keeps the client's announcement.
  ///
  /// Removed: hop-by-hop fields (RFC 9110, section 7.6.1, and those named in `Connection`), the
  /// token and cookies, fields that name the request's origin, and every internal field in any
  /// spelling. Set: the caller, its address, and the request's number; a trace of the client
  /// has the gateway as its parent.
  package func rewrite(
    _ head: inout RequestHead, authority: StaticString, caller: Caller, bodyCount: Int?,
    hidesToken: Bool
  ) {
    Self.clean(&head.fields)
    head.fields.rename(.host, to: .xForwardedHost)
    head.fields.append(.host, literal: authority)
    head.fields.append(contentsOf: caller.isSecure ? secureConstants : plainConstants)
    head.fields.append(.requestID, copying: caller.requestID.span)
    if let trace = caller.trace { head.fields.append(trace) }
    head.fields.append(.internalClient, copying: caller.address.span)
    head.fields.append(.xForwardedFor, copying: caller.address.span)
    if let identity = caller.identity { Self.append(identity, to: &head.fields) }
    if caller.isWatched { head.fields.append(.internalWatched, "1") }
    if caller.hasCookie { head.fields.append(.internalCookie, "1") }
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
      identity.token.digest.appendHexadecimal(to: &bytes)
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
    case .contentLength, .authorization, .cookie, .expect, .forwarded, .requestID, .xForwardedFor,
      .xForwardedHost, .xForwardedProto, .server, .setCookie:
      true
    default: name.isHopByHop || name.isInternal
    }
  }
}
