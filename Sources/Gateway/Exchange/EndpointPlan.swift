import HTTP
import JSON
import Operations
import PublicAPI

/// An endpoint's request handling, computed once at start.
package final class EndpointPlan: Sendable {
  /// How a body is handled.
  enum BodyRule: Sendable {
    /// The endpoint takes no body.
    case ignored
    /// It is collected only because it may contain `authToken`, and is not forwarded.
    case tokenOnly(JSONValidator)
    /// It is collected, validated against the schema and forwarded.
    case json(JSONValidator)
    /// It is streamed to the replica as it arrives.
    case stream(mediaTypes: [[UInt8]], bytesMax: UInt64)
    /// It is streamed if it has one of these media types; otherwise it is handled as `json`.
    case jsonOrFile(JSONValidator, mediaTypes: [[UInt8]], bytesMax: UInt64)
  }

  /// The row of the table.
  package let endpoint: Endpoint
  let bodyRule: BodyRule
  /// The response to a missing or wrong token; nil if the endpoint needs no token.
  let refusal: ErrorAnswer?
  /// Whether only the caller may store the response: it is personal, secret or valid only once.
  let isPersonal: Bool
  /// Whether a request may change what cached responses contain.
  let mayChangeAnswers: Bool
  /// The name in logs and metrics.
  let name: [UInt8]
  /// Method and name in the access log.
  let loggedTarget: [UInt8]
  /// The priority of ordinary uploads and requests, and that of uploads of monitored accounts.
  let priority: PriorityClass
  let watchedPriority: PriorityClass
  let measures: EndpointMeasures

  init(_ endpoint: Endpoint, metrics: Metrics) {
    self.endpoint = endpoint
    refusal = endpoint.caller.refusal
    isPersonal =
      endpoint.caller != .anyone
      || (!endpoint.takesIdempotencyKey && (!endpoint.isRepeatable || endpoint.method == .post))
    mayChangeAnswers = endpoint.service == .track4run && !endpoint.isRepeatable
    name = Array(endpoint.operationID.utf8)
    loggedTarget = AccessLog.target(endpoint.method, name)
    priority = PriorityClass(endpoint, isWatched: false)
    watchedPriority = PriorityClass(endpoint, isWatched: true)
    measures = EndpointMeasures(endpoint.operationID, metrics)
    bodyRule =
      switch endpoint.body {
      case .none: endpoint.method == .post ? .tokenOnly(JSONValidator(.any)) : .ignored
      case .json(let schema): .json(JSONValidator(schema))
      case .stream(let types, let bytesMax):
        .stream(mediaTypes: types.map { Array($0.utf8) }, bytesMax: bytesMax)
      case .jsonOrFile(let schema, let types, let bytesMax):
        .jsonOrFile(
          JSONValidator(schema), mediaTypes: types.map { Array($0.utf8) }, bytesMax: bytesMax)
      }
  }

  /// Whether a request may be repeated after its bytes were sent: it only reads, or its idempotency
  /// key makes the repetition harmless.
  func isRepeatable(hasKey: Bool) -> Bool {
    endpoint.isRepeatable || (hasKey && endpoint.takesIdempotencyKey)
  }
}

/// All endpoints with their plans.
package final class EndpointPlans: Sendable {
  private let table: EndpointTable
  private let plans: [EndpointPlan]
  /// The longest time for which any endpoint's response is cached.
  let keptForMax: Duration

  /// Creates plans for these endpoints, with their counters in `metrics`.
  package init(_ endpoints: [Endpoint], metrics: Metrics) {
    table = EndpointTable(endpoints)
    plans = endpoints.map { EndpointPlan($0, metrics: metrics) }
    keptForMax = endpoints.compactMap(\.keptFor).max() ?? .zero
  }

  /// The result of a look-up.
  package enum Match {
    case plan(EndpointPlan)
    case otherMethods(String)
    case nothing
  }

  /// Looks up the plan for a method and a path as received.
  package func find(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
    switch table.locate(method, path.span) {
    case .endpoint(let index): .plan(plans[index])
    case .otherMethods(let allow): .otherMethods(allow)
    case .nothing: .nothing
    }
  }
}
