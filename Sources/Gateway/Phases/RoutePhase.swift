import HTTP
import PublicAPI

/// The first two phases: what is this request for.
package enum RoutePhase {
  /// What a request is for.
  package enum Route {
    /// An endpoint.
    case plan(EndpointPlan)
    /// The client asks which methods there are: 204 with `Allow`. No other origin is invited, so
    /// that browsers send requests of our own pages only.
    case options(allow: String)
  }

  /// Refuses a path that two programs could read differently.
  ///
  /// Failure: 400 `Malformed request`, where normalising would change anything.
  package static func checkPath(_ head: RequestHead) throws(Problem) {
    guard CanonicalPath.isCanonical(head.path) else {
      throw .malformed("The path is not in its normal form.")
    }
  }

  /// Finds the endpoint; HEAD is answered as GET.
  ///
  /// Failures: 404 for an unknown path, 405 with `Allow` for a known one with another method.
  package static func find(_ head: RequestHead, in plans: EndpointPlans) throws(Problem) -> Route {
    if head.target == [UInt8(ascii: "*")] { return .options(allow: "GET, HEAD, POST, OPTIONS") }
    try checkPath(head)
    switch plans.find(head.method, head.path) {
    case .plan(let plan): return .plan(plan)
    case .nothing: throw .notFound
    case .otherMethods(let methods):
      let allow = allowed(methods)
      guard head.method == .options else { throw .methodNotAllowed(allow: allow) }
      return .options(allow: allow)
    }
  }

  /// The methods of the table and those that come with them.
  private static func allowed(_ methods: String) -> String {
    methods.contains("GET") ? "\(methods), HEAD, OPTIONS" : "\(methods), OPTIONS"
  }

  /// Checks the declared parameters of the query.
  ///
  /// Failure: 400 with the parameter's name as `field`.
  package static func check(_ query: Query?, for plan: EndpointPlan) throws(Problem) {
    try plan.endpoint.check(query ?? Query())
  }
}
