import HTTP
import JSON

/// One endpoint: everything about it except its handler.
package struct Endpoint: Sendable {
  /// The process that serves the endpoint.
  package enum Service: Sendable, Hashable {
    case gateway, data4help, track4run
  }

  /// The kind of request body.
  package enum Body: Sendable {
    /// No body; a body that is sent is ignored.
    case none
    /// A JSON document with this schema, validated before it is forwarded.
    case json(JSONSchema)
    /// Bytes of one of these media types up to a size, forwarded as they arrive.
    case stream(mediaTypes: [String], bytesMax: UInt64)
    /// Either a file of one of these media types or a JSON document with this schema.
    case jsonOrFile(JSONSchema, mediaTypes: [String], bytesMax: UInt64)

    /// A JSON document with the schema of this type, which also reads it.
    static func json(_ type: (some JSONDocumented).Type) -> Body { .json(type.document.schema) }

    /// A file, or a JSON document with the schema of this type, which also reads it.
    static func jsonOrFile(
      _ type: (some JSONDocumented).Type, mediaTypes: [String], bytesMax: UInt64
    ) -> Body {
      .jsonOrFile(type.document.schema, mediaTypes: mediaTypes, bytesMax: bytesMax)
    }
  }

  /// The class of rate limits.
  package enum Rate: Sendable, Hashable {
    /// The limits of most endpoints.
    case ordinary
    /// Much stricter limits per address, for endpoints where a caller could guess a secret or flood
    /// mailboxes.
    case guarded
    /// Stricter limits per account, for searches with which a caller could enumerate all entries.
    case searches
    /// Separate limits for calls on which a life may depend, so that other traffic of the same
    /// address or account cannot exhaust them.
    case alarms
  }

  /// The name in OpenAPI (`operationId`) and in logs and metrics.
  package let name: StaticString
  package let method: HTTPMethod
  /// The path, with `{name}` for a variable segment.
  package let path: String
  /// The process that serves the endpoint.
  package let service: Service
  /// The accepted callers, and the error for all others.
  package let caller: Caller
  /// The effect of the endpoint in one sentence.
  package let summary: String
  /// The `{names}` of its path, in order.
  package var pathParameters: [PathParameter] = []
  /// The supported query parameters; unknown ones are ignored.
  package var query: [QueryParameter] = []
  /// The request body.
  package var body: Body = .none
  /// The successful responses.
  package let answers: [Answer]
  /// The specific errors, in addition to those of every endpoint.
  package var errors: [ErrorAnswer] = []
  /// Whether the call is idempotent, so that the gateway may retry it.
  package private(set) var isRepeatable: Bool
  /// The class of rate limits.
  package var rate: Rate = .ordinary
  /// Whether `Idempotency-Key` is supported: on every POST whose response contains no secret.
  package private(set) var takesIdempotencyKey: Bool
  /// Whether the response has no end until a side closes it: server-sent events.
  package private(set) var isEndless = false
  /// Whether a successful response carries a person's data, which nothing may deliver once the
  /// person has ended the request.
  package private(set) var isRevocable = false
  /// Whether a device's token is accepted.
  package private(set) var takesDevices = false
  /// Whether only a logged-in user may call it, which excludes third parties' API keys.
  package private(set) var isForPeopleOnly = false
  /// Whether all requests of an account go to the same replica, which batches them.
  package private(set) var followsAccount = false
  /// Whether it stores measurements of devices, which may arrive faster than they can be stored.
  package private(set) var isUpload = false
  /// Whether it carries readings that may show an emergency. For monitored people the service
  /// evaluates the readable part of a body, even of a rejected one.
  package private(set) var bringsReadings = false
  /// How long a response without personal content may be reused for identical requests; nil to
  /// disable the cache.
  package private(set) var keptFor: Duration?
  /// Whether its callers are counted as spectators of the run in the request (RUN-15).
  package private(set) var countsSpectators = false
  /// Whether a successful call opens a session, whose cookie the answer may set.
  package private(set) var opensSession = false
  /// Whether a successful call may replace the caller's session, and its cookie.
  package private(set) var renewsSession = false
  /// Whether a successful call ends the caller's session.
  package private(set) var endsSession = false

  /// Creates a read-only endpoint.
  package static func get(
    _ path: String, _ name: StaticString, at service: Service, for caller: Caller,
    _ summary: String, in pathParameters: [PathParameter] = [], query: [QueryParameter] = [],
    answers: [Answer], errors: [ErrorAnswer] = []
  ) -> Endpoint {
    Endpoint(
      name: name, method: .get, path: path, service: service, caller: caller, summary: summary,
      pathParameters: pathParameters, query: query, answers: answers, errors: errors,
      isRepeatable: true, takesIdempotencyKey: false)
  }

  /// Creates an endpoint that deletes something. The gateway never retries it, because the second
  /// call may find nothing left to delete.
  package static func delete(
    _ path: String, _ name: StaticString, at service: Service, for caller: Caller,
    _ summary: String, in pathParameters: [PathParameter] = [], query: [QueryParameter] = [],
    answers: [Answer], errors: [ErrorAnswer] = []
  ) -> Endpoint {
    Endpoint(
      name: name, method: .delete, path: path, service: service, caller: caller,
      summary: summary, pathParameters: pathParameters, query: query, answers: answers,
      errors: errors, isRepeatable: false, takesIdempotencyKey: false)
  }

  /// Creates an endpoint with a side effect.
  package static func post(
    _ path: String, _ name: StaticString, at service: Service, for caller: Caller,
    _ summary: String, query: [QueryParameter] = [], body: Body, answers: [Answer],
    errors: [ErrorAnswer] = [], rate: Rate = .ordinary, answerIsSecret: Bool = false
  ) -> Endpoint {
    Endpoint(
      name: name, method: .post, path: path, service: service, caller: caller, summary: summary,
      query: query, body: body, answers: answers, errors: errors, isRepeatable: false,
      rate: rate, takesIdempotencyKey: !answerIsSecret)
  }

  /// The name as `String`.
  package var operationID: String { name.description }
}

// MARK: Modifiers for special endpoints

extension Endpoint {
  /// Marks a GET with a side effect: the gateway never retries it.
  package func withEffect() -> Endpoint { with { $0.isRepeatable = false } }

  /// Accepts device tokens in addition.
  package func forDevices() -> Endpoint { with { $0.takesDevices = true } }

  /// Accepts tokens of logins only: the endpoint manages the account, which programs of third
  /// parties must not do.
  package func forPeopleOnly() -> Endpoint { with { $0.isForPeopleOnly = true } }

  /// Marks a call on which a life may depend: it has its own limits and connections to the
  /// replicas.
  package func forAlarms() -> Endpoint { with { $0.rate = .alarms } }

  /// Marks a search by name, which is slowed down to prevent enumeration.
  package func forSearches() -> Endpoint { with { $0.rate = .searches } }

  /// Sends all requests of an account to one replica while that replica is available.
  package func followingAccount() -> Endpoint { with { $0.followsAccount = true } }

  /// Marks an upload of measurements: an account's uploads go to one replica, and their number in
  /// progress is limited.
  package func forUploads() -> Endpoint {
    with { endpoint in
      endpoint.followsAccount = true
      endpoint.isUpload = true
    }
  }

  /// Marks an endpoint whose readings may show an emergency.
  package func forReadings() -> Endpoint { with { $0.bringsReadings = true } }

  /// Marks a call whose success opens a session.
  func openingSession() -> Endpoint { with { $0.opensSession = true } }

  /// Marks a call whose success may replace the caller's session by another one.
  func renewingSession() -> Endpoint { with { $0.renewsSession = true } }

  /// Marks a call whose success ends the caller's session.
  package func endingSession() -> Endpoint { with { $0.endsSession = true } }

  /// Whether a call may change something: every method but GET, and the few GETs with a side
  /// effect.
  package var changesState: Bool { method != .get || !isRepeatable }

  /// Disables `Idempotency-Key`, for responses that are streamed and not stored, and for calls
  /// whose repetition is harmless.
  package func withoutKey() -> Endpoint { with { $0.takesIdempotencyKey = false } }

  /// Marks a response of server-sent events, which never completes.
  func streaming() -> Endpoint { with { $0.isEndless = true } }

  /// Marks a response with data of requests, which is cut off when a person ends one of them.
  func revocable() -> Endpoint { with { $0.isRevocable = true } }

  /// Marks a read-only POST, whose query does not fit into a URL.
  func onlyReading() -> Endpoint { with { $0.isRepeatable = true } }

  /// Caches a public response that many clients request at once, for a quarter of a second unless
  /// the service overrides it in the response.
  func keptForMoments() -> Endpoint { kept(for: .milliseconds(250)) }

  /// Caches a response for this duration.
  package func kept(for duration: Duration) -> Endpoint { with { $0.keptFor = duration } }

  /// Counts the callers as spectators of the run in the request.
  func countingSpectators() -> Endpoint { with { $0.countsSpectators = true } }

  private func with(_ change: (inout Endpoint) -> Void) -> Endpoint {
    var endpoint = self
    change(&endpoint)
    return endpoint
  }
}
