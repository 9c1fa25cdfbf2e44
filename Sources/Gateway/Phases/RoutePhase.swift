import HTTP
import PublicAPI
import ServiceKit
import Web

/// The first two phases: canonical path and route.
package enum RoutePhase {
  /// The target of a request.
  package enum Route {
    /// An endpoint.
    case plan(EndpointPlan)
    /// A web page or a file of it, or an unknown path that a browser asks for.
    case page
    /// The client asks for the allowed methods: 204 with `Allow`. No CORS fields are sent, so
    /// browsers only let our own pages call the API.
    case options(allow: String)
  }

  /// Rejects a path that two programs could interpret differently.
  ///
  /// Failure: 400 `Malformed request`, where normalising would change anything.
  package static func checkPath(_ head: RequestHead) throws(Problem) {
    guard CanonicalPath.isCanonical(head.path) else {
      throw .malformed("The path is not in its normal form.")
    }
  }

  /// 404 for a path that no endpoint and no page has, with the places that list all of them.
  package static let unknownPath = {
    var problem = Problem.notFound(
      "No endpoint and no page has this path. Check its spelling, upper and lower case, and a "
        + "slash at its end: /docs and /openapi.json list every path with its methods.")
    // A browser gets a page.
    problem.fields.append(.vary, "Accept")
    return problem
  }()

  /// Finds the endpoint; HEAD is answered as GET.
  ///
  /// Failures: 404 for an unknown path, 405 with `Allow` for a known one with another method.
  package static func find(_ head: RequestHead, in plans: EndpointPlans) throws(Problem) -> Route {
    if head.target == [UInt8(ascii: "*")] { return .options(allow: "GET, HEAD, POST, OPTIONS") }
    try checkPath(head)
    switch plans.find(head.method, head.path) {
    case .plan(let plan): return .plan(plan)
    case .nothing:
      let isReading = head.method == .get || head.method == .head
      guard
        PageAnswers.cover(head.path) || (isReading && MediaPreference.prefersHTML(head.fields))
      else { throw unknownPath }
      if isReading { return .page }
      return try options(head.method, allowed("GET"))
    case .otherMethods(let methods): return try options(head.method, allowed(methods))
    }
  }

  /// The response to OPTIONS; any other method is refused.
  private static func options(_ method: HTTPMethod, _ allow: String) throws(Problem) -> Route {
    guard method == .options else { throw .methodNotAllowed(allow: allow) }
    return .options(allow: allow)
  }

  /// The methods in the table, and those that they imply.
  private static func allowed(_ methods: String) -> String {
    methods.contains("GET") ? "\(methods), HEAD, OPTIONS" : "\(methods), OPTIONS"
  }

  /// Checks the declared query parameters.
  ///
  /// Failure: 400 with the parameter's name as `field`.
  package static func check(_ query: Query?, for plan: EndpointPlan) throws(Problem) {
    try plan.endpoint.check(query ?? Query())
  }
}
