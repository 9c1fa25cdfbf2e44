/// One row of a route table: method, path pattern, and the function that answers.
///
/// A handler throws nothing but a `Problem`; what else can go wrong inside it, it has to name.
package struct Route: Sendable {
  /// A function that answers a request. It runs on the connection's loop: what blocks belongs in
  /// a pool.
  package typealias Handler = @Sendable (Request) async throws(Problem) -> Response

  /// The method it answers to; another one on the same path is 405.
  package var method: HTTPMethod
  /// The path, with `{name}` for a segment that varies, as `/auth/keys/{keyID}`.
  package var pattern: String
  /// Bytes of the body at most; over it the answer is 413.
  package var bodyBytesMax: UInt64
  /// Whether the handler reads the body itself, in pieces, as it comes.
  package var streamsBody: Bool
  /// The function that answers.
  package var handler: Handler

  /// A row with the usual limit of 1 MiB, unless another is given.
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
