import HTTP

/// The response of a service's handler.
package struct Response: Sendable {
  /// The bytes of a body, or a closure that writes it.
  package enum Body: Sendable {
    case bytes([UInt8])
    /// Runs after the head was sent; if it throws, the response is aborted so that the client
    /// detects it.
    case stream(@Sendable (BodyWriter) async throws -> Void)
  }

  /// The parts of the response, in the order they are sent.
  package var status: HTTPStatus
  package var fields: HTTPFields
  package var body: Body

  /// A response of any kind.
  package init(
    _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Body = .bytes([])
  ) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A response of bytes with their media type.
  package init(_ status: HTTPStatus = .ok, contentType: String, bytes: [UInt8]) {
    self.init(status, body: .bytes(bytes))
    fields.append(.contentType, contentType)
  }

  /// A JSON document.
  package static func json(_ bytes: [UInt8], status: HTTPStatus = .ok) -> Response {
    Response(status, contentType: "application/json", bytes: bytes)
  }

  /// A response whose body is written in pieces.
  package static func stream(
    _ status: HTTPStatus = .ok, contentType: String,
    write: @escaping @Sendable (BodyWriter) async throws -> Void
  ) -> Response {
    var response = Response(status, body: .stream(write))
    response.fields.append(.contentType, contentType)
    return response
  }
}
