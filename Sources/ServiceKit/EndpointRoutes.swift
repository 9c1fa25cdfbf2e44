import HTTP
import PublicAPI
import Web

/// Creates routes of endpoints: each checks the caller's permission, and the parameters of path and
/// query.
///
/// `Service.inner` has checked before routing that the request comes from another process of the
/// product. The gateway has checked the token, the query and the form of the body; the service
/// parses everything again, because it is the one that acts.
package struct EndpointRoutes: Sendable {
  /// A handler of an endpoint without a token.
  package typealias OpenHandler = @Sendable (Request) async throws(ApplicationError) -> Response
  /// A handler of an endpoint that needs a token.
  package typealias Handler =
    @Sendable (Request, Identity) async throws(ApplicationError) -> Response

  /// A route factory.
  package init() {}

  /// The route of an endpoint without a token.
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
  /// A route between processes of the product, whose handler throws `ApplicationError`.
  package static func inner(
    _ method: HTTPMethod, _ pattern: String,
    handler: @escaping @Sendable (Request) async throws(ApplicationError) -> Response
  ) -> Route {
    Route(method, pattern) { (request) throws(Problem) in
      try await answering { () throws(ApplicationError) in try await handler(request) }
    }
  }
}
