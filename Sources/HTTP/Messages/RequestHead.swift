import Operations

/// A request without its body.
package struct RequestHead: Sendable {
  /// The request method.
  package var method: HTTPMethod
  /// The target in origin form: path and query as sent, or `*`; never empty.
  package private(set) var target: [UInt8]
  /// The length of the path in `target`: up to the `?`, or the whole target.
  package private(set) var pathCount: Int
  /// Whether the scheme is `https`.
  package var isSecure: Bool
  /// The fields. The authority is the field `host`, also in HTTP/2, where engines convert it from
  /// and to `:authority`.
  package var fields: HTTPFields
  /// The value of Content-Length; nil if the length is not known in advance or there is no body.
  package var contentLength: UInt64?
  /// Whether a body follows, which may be empty.
  package var hasBody: Bool
  /// The trace of a received request: engines take it out of the fields, because it differs in
  /// heads that are otherwise repeated. A head to send has it among its fields.
  package var trace: TraceParent?

  /// A head to send, or one read by an engine.
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

  /// A head to send to `authority`.
  package init(_ method: HTTPMethod, _ target: String, authority: String) {
    self.init(method: method, target: Array(target.utf8))
    fields.append(.host, authority)
  }

  /// The path as sent, including percent-encoding.
  package var path: ArraySlice<UInt8> { target[..<pathCount] }

  /// The path as text.
  package var pathText: String { String(decoding: path, as: UTF8.self) }

  /// The text after the `?`, not decoded; nil if there is no `?`.
  package var query: ArraySlice<UInt8>? {
    pathCount < target.count ? target[(pathCount + 1)...] : nil
  }

  /// Replaces the target.
  package mutating func setTarget(_ target: [UInt8]) {
    self.target = target
    pathCount = target.firstIndex(of: 0x3F) ?? target.count
  }

  /// Host and port of the request, as sent.
  package var authority: String? { fields[.host] }
}
