import PublicAPI

/// What a request's head alone decides.
enum HeadDecision {
  /// The client asks which methods there are.
  case options(allow: String)
  /// The gateway answers itself.
  case own(Endpoint)
  /// A service answers, once the caller is known and the body was treated like this.
  case service(EndpointPlan, BodyPhase.Treatment)
}
