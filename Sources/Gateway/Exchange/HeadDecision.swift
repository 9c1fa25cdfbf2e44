import PublicAPI

/// The decision that a request's head alone allows.
enum HeadDecision {
  /// The client asks for the allowed methods.
  case options(allow: String)
  /// The gateway answers itself.
  case local(EndpointPlan)
  /// The gateway answers with a web page or a file of it.
  case page
  /// A service answers, after the caller was identified and the body handled as given.
  case service(EndpointPlan, BodyPhase.Treatment)
}
