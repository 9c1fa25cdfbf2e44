import HTTP
import PublicAPI

/// The cache key of a request without credentials. Requests with the same key get the same
/// response.
package enum CacheKey {
  /// The longest cache key in bytes; a request with a longer one always goes to a replica.
  package static let bytesMax = 4096

  /// The key: method, target, the fields that select a representation, and the body.
  ///
  /// Nil if the request carries a token or the session's cookie, is a range or conditional request,
  /// or has its own cache directives (RFC 9111, section 5.2.1). Such requests go to a replica.
  package static func bytes(of head: RequestHead, body: [UInt8]) -> [UInt8]? {
    var key = Array(head.method.text.utf8)
    key.reserveCapacity(key.count + head.target.count + body.count + 128)
    key.append(0)
    key += head.target
    key.append(0)
    var isPlain = true
    head.fields.forEach { known, _, value in
      guard let known else { return }
      switch known {
      case .accept, .acceptEncoding, .acceptLanguage:
        key.append(known.rawValue)
        key.append(copying: value)
        key.append(0)
      case .authorization, .cacheControl, .ifMatch, .ifModifiedSince, .ifNoneMatch, .range:
        isPlain = false
      case .cookie: if !SessionCookie.values(in: value).isEmpty { isPlain = false }
      default: break
      }
    }
    key.append(0)
    key += body
    return isPlain && key.count <= bytesMax ? key : nil
  }
}
