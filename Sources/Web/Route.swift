import HTTP

/// One row of a route table: method, path pattern, and handler.
///
/// A handler can throw only a `Problem`, so it must map every other error to one.
package struct Route: Sendable {
  /// A function that answers a request. It runs on the connection's loop, so blocking work must run
  /// in a pool.
  package typealias Handler = @Sendable (Request) async throws(Problem) -> Response

  /// The method; other methods on the same path are answered with 405.
  package var method: HTTPMethod
  /// The path, with `{name}` for a variable segment, such as `/auth/keys/{keyID}`.
  package var pattern: String
  /// Maximum size of the body in bytes; a longer one is answered with 413.
  package var bodyBytesMax: UInt64
  /// Whether the handler reads the body as a stream.
  package var streamsBody: Bool
  /// The function that answers.
  package var handler: Handler

  /// A row; the default limit of the body is 1 MiB.
  package init(
    _ method: HTTPMethod, _ pattern: String, bodyBytesMax: UInt64 = 1024 * 1024,
    streamsBody: Bool = false, handler: @escaping Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.bodyBytesMax = bodyBytesMax
    self.streamsBody = streamsBody
    self.handler = handler
  }
}
