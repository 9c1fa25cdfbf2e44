import Domain
import HTTP
import Privacy
import PublicAPI

/// The request as a replica gets it: written anew, never the client's bytes.
package struct ForwardPhase {
  /// What begins a head for a service, once for all requests.
  private static let client = Array("\(InternalField.client)".utf8)
  private static let account = Array("\(InternalField.account)".utf8)
  private static let kind = Array("\(InternalField.kind)".utf8)
  private static let session = Array("\(InternalField.session)".utf8)
  private static let secretName = Array("\(InternalField.secret)".utf8)
  private static let http = Array("http".utf8)
  private static let https = Array("https".utf8)
  private static let single = Array("single".utf8)
  private static let thirdParty = Array("tp".utf8)

  /// Who calls, as far as the service is to know.
  package struct Caller {
    /// The session and its token; nil where nobody needs one.
    package var identity: (session: Session, token: TokenHash)?
    /// The client's address as text.
    package var address: [UInt8]
    package var isSecure: Bool
    package var requestID: [UInt8]

    /// A caller of these parts.
    package init(
      identity: (session: Session, token: TokenHash)?, address: [UInt8], isSecure: Bool,
      requestID: [UInt8]
    ) {
      self.identity = identity
      self.address = address
      self.isSecure = isSecure
      self.requestID = requestID
    }
  }

  /// The header by which services know the gateway.
  package let secret: [UInt8]

  /// A phase that shows this secret.
  package init(secret: InternalSecret) {
    self.secret = secret.withHeaderValue { Array(copying: $0) }
  }

  /// The head for the service. `bodyCount` is the length of a collected body; nil leaves what the
  /// client announced.
  ///
  /// Left out: what concerns one connection (RFC 9110, section 7.6.1, and what `Connection` names),
  /// the token and cookies, what says where the request came from, and every field of ours in
  /// whatever spelling. Set: who calls, from where, and the request's number.
  package func head(
    _ original: RequestHead, authority: StaticString, caller: Caller, bodyCount: Int?,
    hidesToken: Bool
  ) -> RequestHead {
    var fields = HTTPFields(reservingBytes: 768, fields: 24)
    fields.append(.host, copying: "\(authority)".utf8Span.span)
    fields.append(.requestID, copying: caller.requestID.span)
    fields.append(name: Self.secretName.span, value: secret.span)
    fields.append(name: Self.client.span, value: caller.address.span)
    fields.append(.xForwardedFor, copying: caller.address.span)
    fields.append(
      .xForwardedProto, copying: caller.isSecure ? Self.https.span : Self.http.span)
    original.fields.withValue(.host) { fields.append(.xForwardedHost, copying: $0) }
    if let identity = caller.identity { Self.append(identity, to: &fields) }
    Self.copy(original.fields, to: &fields)
    var head = RequestHead(
      method: original.method,
      target: hidesToken ? QueryToken.removed(from: original) : original.target,
      isSecure: false, fields: fields)
    head.contentLength = bodyCount.map { UInt64($0) } ?? original.contentLength
    head.hasBody = bodyCount.map { $0 > 0 } ?? original.hasBody
    return head
  }

  private static func append(
    _ identity: (session: Session, token: TokenHash), to fields: inout HTTPFields
  ) {
    var text: [UInt8] = []
    text.reserveCapacity(64)
    text.append(decimal: Int(identity.session.account.rawValue))
    fields.append(name: account.span, value: text.span)
    let kindText = identity.session.kind == .singleUser ? single : thirdParty
    fields.append(name: kind.span, value: kindText.span)
    text.removeAll(keepingCapacity: true)
    let digest = identity.token.digest.inlineBytes
    Hexadecimal.append(digest.span, to: &text)
    fields.append(name: session.span, value: text.span)
  }

  private static func copy(_ original: HTTPFields, to fields: inout HTTPFields) {
    let named = ConnectionField.namedFields(of: original)
    original.forEach { known, name, value in
      if let known {
        if !isLeftOut(known), named.isEmpty || !named.contains(where: { $0.matches(name) }) {
          fields.append(known, copying: value)
        }
        return
      }
      guard !InternalNames.isInternal(name), !named.contains(where: { $0.matches(name) }) else {
        return
      }
      fields.append(name: name, value: value)
    }
  }

  private static func isLeftOut(_ name: FieldName) -> Bool {
    switch name {
    case .host, .contentLength, .authorization, .cookie, .expect, .forwarded, .requestID,
      .xForwardedFor, .xForwardedHost, .xForwardedProto, .server, .setCookie:
      true
    default: name.isHopByHop
    }
  }
}
