import HTTP
import JSON
import Operations
import PublicAPI

/// What the gateway needs to know of an endpoint for each request, worked out once.
package final class EndpointPlan: Sendable {
  /// What is done with a body.
  enum BodyRule: Sendable {
    /// Nobody wants it.
    case ignored
    /// It is collected only because `authToken` may stand in it, and not forwarded.
    case tokenOnly(JSONValidator)
    /// It is collected, checked against the schema and forwarded.
    case json(JSONValidator)
    /// It is handed on as it comes.
    case stream(mediaTypes: [[UInt8]], bytesMax: UInt64)
    /// It is handed on as it comes where it names such a type, else it is as `json`.
    case jsonOrFile(JSONValidator, mediaTypes: [[UInt8]], bytesMax: UInt64)
  }

  /// The row of the table.
  package let endpoint: Endpoint
  let bodyRule: BodyRule
  /// What is said to a missing or wrong token; nil where nobody needs one.
  let refusal: ErrorAnswer?
  /// Whether nobody but the caller may keep the answer: it is somebody's, a secret, or of a moment.
  let isPersonal: Bool
  /// Whether it may change what kept answers tell of.
  let mayChangeAnswers: Bool
  /// The name in logs and metrics.
  let name: [UInt8]
  let measures: EndpointMeasures

  init(_ endpoint: Endpoint, metrics: Metrics) {
    self.endpoint = endpoint
    refusal = endpoint.caller.refusal
    isPersonal =
      endpoint.caller != .anyone
      || (!endpoint.takesIdempotencyKey && (!endpoint.isRepeatable || endpoint.method == .post))
    mayChangeAnswers = endpoint.service == .track4run && !endpoint.isRepeatable
    name = Array(endpoint.operationID.utf8)
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

  /// Whether a request may be sent again after its bytes have left: it only reads, or the key
  /// that it carries makes the second time harmless.
  func isRepeatable(hasKey: Bool) -> Bool {
    endpoint.isRepeatable || (hasKey && endpoint.takesIdempotencyKey)
  }
}

/// All endpoints with their plans.
package struct EndpointPlans: Sendable {
  private let table: EndpointTable
  private let plans: [EndpointPlan]
  /// The longest time for which the answer of one of them is kept.
  let keptForMax: Duration

  /// Plans for these endpoints, counted in `metrics`.
  package init(_ endpoints: [Endpoint], metrics: Metrics) {
    table = EndpointTable(endpoints)
    plans = endpoints.map { EndpointPlan($0, metrics: metrics) }
    keptForMax = endpoints.compactMap(\.keptFor).max() ?? .zero
  }

  /// What a path leads to.
  package enum Match {
    case plan(EndpointPlan)
    case otherMethods(String)
    case nothing
  }

  /// The plan for a method and a path as it was sent.
  package func find(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
    switch table.locate(method, path.span) {
    case .endpoint(let index): .plan(plans[index])
    case .otherMethods(let allow): .otherMethods(allow)
    case .nothing: .nothing
    }
  }
}
