/// A request method (RFC 9110, section 9).
package enum HTTPMethod: Hashable, Sendable {
  case get, head, post, put, delete, options, patch, trace, connect
  /// Any other method in its original spelling: a token of 1 to 32 characters.
  case other(String)

  /// The method with this spelling; methods are case-sensitive.
  package init(_ text: String) {
    self = HTTPMethod.known(Array(text.utf8).span) ?? .other(text)
  }

  /// The spelling on the wire.
  package var text: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .patch: "PATCH"
    case .trace: "TRACE"
    case .connect: "CONNECT"
    case .other(let text): text
    }
  }

  /// The well-known method with this spelling, or nil; does not allocate.
  static func known(_ bytes: Span<UInt8>) -> HTTPMethod? {
    switch bytes.count {
    case 3: bytes.equals("GET") ? .get : bytes.equals("PUT") ? .put : nil
    case 4: bytes.equals("POST") ? .post : bytes.equals("HEAD") ? .head : nil
    case 5: bytes.equals("PATCH") ? .patch : bytes.equals("TRACE") ? .trace : nil
    case 6: bytes.equals("DELETE") ? .delete : nil
    case 7: bytes.equals("OPTIONS") ? .options : bytes.equals("CONNECT") ? .connect : nil
    default: nil
    }
  }
}
