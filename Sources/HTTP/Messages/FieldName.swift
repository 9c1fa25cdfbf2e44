/// The well-known field names. Fields are found by these numbers, and store no text of their name.
///
/// Other names are passed as lower-case text (`fields["x-other"]`).
package enum FieldName: UInt8, CaseIterable, Sendable {
  case accept = 1, acceptEncoding, acceptLanguage, accessControlAllowOrigin, age, allow
  case authorization, cacheControl, connection, contentDisposition, contentEncoding
  case contentLanguage, contentLength, contentRange, contentSecurityPolicy, contentType, cookie
  case date, etag, expect, expires, forwarded, host, http2Settings, idempotencyKey, ifMatch
  case ifModifiedSince, ifNoneMatch, keepAlive, lastEventID, lastModified, link, location, origin
  case proxyAuthenticate, proxyAuthorization, proxyConnection, range, referer, referrerPolicy
  case requestID, retryAfter, server, setCookie, strictTransportSecurity, te, traceParent, trailer
  case transferEncoding, upgrade, userAgent, vary, via, wwwAuthenticate, xContentTypeOptions
  case xForwardedFor, xForwardedHost, xForwardedProto, xFrameOptions
  /// Fields that the gateway sends to the services, and strips from requests of clients.
  case internalAccount, internalBearer, internalClient, internalCookie, internalKind
  case internalSecret, internalSession, internalWatched

  /// The length of the longest well-known name, `access-control-allow-origin`.
  static let bytesMax = 27

  /// The spelling on the wire, in lower case.
  package var text: StaticString {
    switch self {
    case .accept: "accept"
    case .acceptEncoding: "accept-encoding"
    case .acceptLanguage: "accept-language"
    case .accessControlAllowOrigin: "access-control-allow-origin"
    case .age: "age"
    case .allow: "allow"
    case .authorization: "authorization"
    case .cacheControl: "cache-control"
    case .connection: "connection"
    case .contentDisposition: "content-disposition"
    case .contentEncoding: "content-encoding"
    case .contentLanguage: "content-language"
    case .contentLength: "content-length"
    case .contentRange: "content-range"
    case .contentSecurityPolicy: "content-security-policy"
    case .contentType: "content-type"
    case .cookie: "cookie"
    case .date: "date"
    case .etag: "etag"
    case .expect: "expect"
    case .expires: "expires"
    case .forwarded: "forwarded"
    case .host: "host"
    case .http2Settings: "http2-settings"
    case .idempotencyKey: "idempotency-key"
    case .ifMatch: "if-match"
    case .ifModifiedSince: "if-modified-since"
    case .ifNoneMatch: "if-none-match"
    case .keepAlive: "keep-alive"
    case .lastEventID: "last-event-id"
    case .lastModified: "last-modified"
    case .link: "link"
    case .location: "location"
    case .origin: "origin"
    case .proxyAuthenticate: "proxy-authenticate"
    case .proxyAuthorization: "proxy-authorization"
    case .proxyConnection: "proxy-connection"
    case .range: "range"
    case .referer: "referer"
    case .referrerPolicy: "referrer-policy"
    case .requestID: "x-request-id"
    case .retryAfter: "retry-after"
    case .server: "server"
    case .setCookie: "set-cookie"
    case .strictTransportSecurity: "strict-transport-security"
    case .te: "te"
    case .traceParent: "traceparent"
    case .trailer: "trailer"
    case .transferEncoding: "transfer-encoding"
    case .upgrade: "upgrade"
    case .userAgent: "user-agent"
    case .vary: "vary"
    case .via: "via"
    case .wwwAuthenticate: "www-authenticate"
    case .xContentTypeOptions: "x-content-type-options"
    case .xForwardedFor: "x-forwarded-for"
    case .xForwardedHost: "x-forwarded-host"
    case .xForwardedProto: "x-forwarded-proto"
    case .xFrameOptions: "x-frame-options"
    case .internalAccount: "x-trackme-account"
    case .internalBearer: "x-trackme-bearer"
    case .internalClient: "x-trackme-client"
    case .internalCookie: "x-trackme-cookie"
    case .internalKind: "x-trackme-kind"
    case .internalSecret: "x-trackme-secret"
    case .internalSession: "x-trackme-session"
    case .internalWatched: "x-trackme-watched"
    }
  }

  /// Whether the field concerns one connection only and must not be forwarded
  /// (RFC 9110, section 7.6.1).
  package var isHopByHop: Bool {
    switch self {
    case .connection, .http2Settings, .keepAlive, .proxyAuthenticate, .proxyAuthorization,
      .proxyConnection, .te, .trailer, .transferEncoding, .upgrade:
      true
    default: false
    }
  }

  /// Whether only our own processes may send this field to each other.
  package var isInternal: Bool {
    switch self {
    case .internalAccount, .internalBearer, .internalClient, .internalCookie, .internalKind,
      .internalSecret, .internalSession, .internalWatched:
      true
    default: false
    }
  }

  /// The well-known name with this spelling, ignoring ASCII case, or nil.
  package static func known(_ bytes: Span<UInt8>) -> FieldName? {
    guard let first = bytes.indices.first else { return nil }
    var slot = hash(bytes[first], bytes[bytes.count - 1], bytes.count)
    while true {
      let entry = index[slot]
      guard entry != 0, let name = FieldName(rawValue: entry) else { return nil }
      // Checks lower case first, because engines usually pass it.
      if bytes.equals(name.text) || bytes.equalsIgnoringCase(name.text) { return name }
      slot = (slot + 1) & 255
    }
  }

  /// An open-addressed table of raw values by hash; 0 is an empty slot.
  private static let index: [UInt8] = {
    var table = [UInt8](repeating: 0, count: 256)
    for name in allCases {
      let text = Array(name.text.description.utf8)
      var slot = hash(text[0], text[text.count - 1], text.count)
      while table[slot] != 0 { slot = (slot + 1) & 255 }
      table[slot] = name.rawValue
    }
    return table
  }()

  @inline(__always)
  private static func hash(_ first: UInt8, _ last: UInt8, _ count: Int) -> Int {
    let low = Int(first | 0x20) &* 7 &+ Int(last | 0x20) &* 31 &+ count &* 17
    return low & 255
  }
}
