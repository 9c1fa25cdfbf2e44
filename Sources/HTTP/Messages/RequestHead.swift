/// Everything of a request but its body.
package struct RequestHead: Sendable {
  /// What the client wants done.
  package var method: HTTPMethod
  /// The target in origin form: path and query as they were sent, or `*`; never empty.
  package private(set) var target: [UInt8]
  /// Where in `target` the path ends: at the `?` or at its end.
  package private(set) var pathCount: Int
  /// Whether the scheme is `https`.
  package var isSecure: Bool
  /// The fields. The authority is the field `host`, in HTTP/2 as well, where engines turn it from
  /// and into `:authority`.
  package var fields: HTTPFields
  /// The value of Content-Length; nil if the length is not known beforehand or there is no body.
  package var contentLength: UInt64?
  /// Whether a body follows (which may turn out to be empty).
  package var hasBody: Bool

  /// A head to be sent, or one that an engine has read.
  package init(
    method: HTTPMethod, target: [UInt8], isSecure: Bool = false,
    fields: HTTPFields = HTTPFields(), contentLength: UInt64? = nil, hasBody: Bool = false
  ) {
    self.method = method
    self.target = target
    self.pathCount = target.firstIndex(of: 0x3F) ?? target.count
    self.isSecure = isSecure
    self.fields = fields
    self.contentLength = contentLength
    self.hasBody = hasBody
  }

  /// A head to be sent to `authority`.
  package init(_ method: HTTPMethod, _ target: String, authority: String) {
    self.init(method: method, target: Array(target.utf8))
    fields.append(.host, authority)
  }

  /// The path as it was sent, percent-encoding included.
  package var path: ArraySlice<UInt8> { target[..<pathCount] }

  /// The path as text.
  package var pathText: String { String(decoding: path, as: UTF8.self) }

  /// What stands after the `?`, undecoded; nil if there is no `?`.
  package var query: ArraySlice<UInt8>? {
    pathCount < target.count ? target[(pathCount + 1)...] : nil
  }

  /// Puts another target in place of the present one.
  package mutating func setTarget(_ target: [UInt8]) {
    self.target = target
    pathCount = target.firstIndex(of: 0x3F) ?? target.count
  }

  /// Host and port the request is meant for, as it was sent.
  package var authority: String? { fields[.host] }
}
