import HTTP

/// The cache key of a request without credentials. Requests with the same key get the same
/// response.
package enum SharedQuestion {
  /// The longest cache key in bytes; a request with a longer one always goes to a replica.
  package static let bytesMax = 4096

  /// The key: method, target, the fields that select a representation, and the body.
  ///
  /// Nil where the request carries a token, is a range or conditional request, or has its own cache
  /// directives (RFC 9111, section 5.2.1). Such requests go to a replica.
  package static func bytes(of head: RequestHead, body: [UInt8]) -> [UInt8]? {
    var question = Array(head.method.text.utf8)
    question.reserveCapacity(question.count + head.target.count + body.count + 128)
    question.append(0)
    question += head.target
    question.append(0)
    var isPlain = true
    head.fields.forEach { known, _, value in
      guard let known else { return }
      switch known {
      case .accept, .acceptEncoding, .acceptLanguage:
        question.append(known.rawValue)
        question.append(copying: value)
        question.append(0)
      case .authorization, .cacheControl, .ifMatch, .ifModifiedSince, .ifNoneMatch, .range:
        isPlain = false
      default: break
      }
    }
    question.append(0)
    question += body
    return isPlain && question.count <= bytesMax ? question : nil
  }
}
