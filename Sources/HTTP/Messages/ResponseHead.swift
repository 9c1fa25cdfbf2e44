/// A response without its body.
package struct ResponseHead: Sendable {
  /// The status and the fields.
  package var status: HTTPStatus
  package var fields: HTTPFields
  /// The value of Content-Length. If set, the engine writes the field; if nil, the body is chunked
  /// (HTTP/1.1) or ends with the stream.
  package var contentLength: UInt64?

  /// The value of `X-Request-ID`, written after the fields; empty if it is among them, or absent.
  package var number: [UInt8] = []

  /// A head with these fields. Engines write Content-Length and hop-by-hop fields themselves, and
  /// omit any that are among these fields.
  package init(
    _ status: HTTPStatus, fields: HTTPFields = HTTPFields(), contentLength: UInt64? = nil
  ) {
    self.status = status
    self.fields = fields
    self.contentLength = contentLength
  }
}
