/// Everything of a response but its body.
package struct ResponseHead: Sendable {
  /// How it went, and what is to be known of the answer.
  package var status: HTTPStatus
  package var fields: HTTPFields
  /// The value of Content-Length. Set it when the length is known, and the engine writes the
  /// field; with nil the body is chunked (HTTP/1.1) or ended by the stream.
  package var contentLength: UInt64?

  /// A head with these fields, which must not hold Content-Length nor a hop-by-hop field: engines
  /// write those and leave out any that stands here.
  package init(
    _ status: HTTPStatus, fields: HTTPFields = HTTPFields(), contentLength: UInt64? = nil
  ) {
    self.status = status
    self.fields = fields
    self.contentLength = contentLength
  }
}
