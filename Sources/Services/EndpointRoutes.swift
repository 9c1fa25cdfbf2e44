import HTTP
import PublicAPI

/// Makes routes of endpoints: each checks that who calls may, and what stands in path and query.
///
/// That the request comes from one of our own processes was checked before any route was looked for
/// (`Service.inner`). The gateway has checked the token, the query and the body's shape before; the
/// service still reads everything with its own eyes, because it is the one that acts.
package struct EndpointRoutes: Sendable {
  /// A handler of an endpoint that everybody may call.
  package typealias OpenHandler = @Sendable (Request) async throws(ApplicationError) -> Response
  /// A handler of an endpoint that needs a token.
  package typealias Handler =
    @Sendable (Request, Identity) async throws(ApplicationError) -> Response

  /// The way to make them.
  package init() {}

  /// The route of an endpoint that everybody may call.
  package func open(_ endpoint: Endpoint, _ handler: @escaping OpenHandler) -> Route {
    route(endpoint) { (request) throws(Problem) in
      try endpoint.checkPath(request.head.path)
      try endpoint.check(request.query)
      return try await answering { () throws(ApplicationError) in try await handler(request) }
    }
  }

  /// The route of an endpoint that needs a token.
  package func identified(_ endpoint: Endpoint, _ handler: @escaping Handler) -> Route {
    route(endpoint) { (request) throws(Problem) in
      let refusal = endpoint.caller.refusal ?? .wrongToken
      guard let identity = Identity(request.head.fields),
        endpoint.admits(identity.kind, identity.bearer)
      else { throw refusal.problem() }
      try endpoint.checkPath(request.head.path)
      try endpoint.check(request.query)
      return try await answering { () throws(ApplicationError) in
        try await handler(request, identity)
      }
    }
  }

  private func route(_ endpoint: Endpoint, _ handler: @escaping Route.Handler) -> Route {
    switch endpoint.body {
    case .none, .json:
      Route(endpoint.method, endpoint.path, handler: handler)
    case .stream(_, let bytesMax), .jsonOrFile(_, _, let bytesMax):
      Route(
        endpoint.method, endpoint.path, bodyBytesMax: bytesMax, streamsBody: true,
        handler: handler)
    }
  }
}

extension Route {
  /// A route between our own processes, whose handler throws the errors of the application.
  package static func inner(
    _ method: HTTPMethod, _ pattern: String,
    handler: @escaping @Sendable (Request) async throws(ApplicationError) -> Response
  ) -> Route {
    Route(method, pattern) { (request) throws(Problem) in
      try await answering { () throws(ApplicationError) in try await handler(request) }
    }
  }
}
