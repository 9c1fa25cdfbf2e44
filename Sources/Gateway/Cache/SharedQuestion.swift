import HTTP

/// What a request asks as bytes, by which its answer is kept: whoever asks the same without saying
/// who it is gets the same answer.
package enum SharedQuestion {
  /// Bytes of a question at most; whatever is longer is asked anew each time.
  package static let bytesMax = 4096

  /// The question: method, target, the fields that choose among representations, and the body.
  ///
  /// Nil where the request shows a token, asks for a part or on a condition, or says itself how
  /// answers are to be kept (RFC 9111, section 5.2.1): such requests go to a replica.
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
