import HTTP
import JSON

/// One endpoint: everything that can be said of it without its handler.
package struct Endpoint: Sendable {
  /// The process that answers.
  package enum Service: Sendable, Hashable {
    case gateway, data4help, track4run
  }

  /// What the body of the request is.
  package enum Body: Sendable {
    /// No body; one that is sent is ignored.
    case none
    /// A JSON document of this shape, checked before it is forwarded.
    case json(JSONSchema)
    /// Bytes of one of these media types, handed on as they come, up to a size.
    case stream(mediaTypes: [String], bytesMax: UInt64)
    /// Either: a file of one of these media types, else a JSON document of this shape.
    case jsonOrFile(JSONSchema, mediaTypes: [String], bytesMax: UInt64)
  }

  /// How closely calls are limited.
  package enum Rate: Sendable, Hashable {
    /// As most endpoints.
    case ordinary
    /// Where a caller could guess a secret or fill mailboxes: much closer, and by address.
    case guarded
    /// Where a caller could list what is only to be found: closer, and by account.
    case searches
    /// What a life may hang on: counted for itself, so that nothing else of the same address or
    /// account has it refused.
    case alarms
  }

  /// The name in OpenAPI (`operationId`) and in logs and metrics.
  package let name: StaticString
  /// The method that calls it.
  package let method: HTTPMethod
  /// The path, with `{name}` for a segment that varies.
  package let path: String
  /// The process that answers.
  package let service: Service
  /// Who may call it, and what everybody else is told.
  package let caller: Caller
  /// What it does, in one sentence.
  package let summary: String
  /// The `{names}` of its path, in their order.
  package var pathParameters: [PathParameter] = []
  /// The parameters it understands; others are ignored.
  package var query: [QueryParameter] = []
  /// What it takes.
  package var body: Body = .none
  /// What it answers when all is well.
  package let answers: [Answer]
  /// What it answers otherwise, beside what every endpoint may answer.
  package var errors: [ErrorAnswer] = []
  /// Whether calling it twice does what calling it once does, so that the gateway may try again.
  package private(set) var isRepeatable: Bool
  /// How closely calls are limited.
  package var rate: Rate = .ordinary
  /// Whether `Idempotency-Key` is honoured: on every POST whose answer is no secret.
  package private(set) var takesIdempotencyKey: Bool
  /// Whether its answer goes on until a side ends it: server-sent events.
  package private(set) var isEndless = false
  /// Whether a device's token is good for it.
  package private(set) var takesDevices = false
  /// Whether it is for a person who logged in alone, and no third party's key is good for it.
  package private(set) var isForPeopleOnly = false
  /// Whether all requests of an account go to the same replica, which gathers them.
  package private(set) var followsAccount = false
  /// Whether it stores what devices measure, which may come faster than it can be stored.
  package private(set) var isUpload = false
  /// Whether it brings readings that may be an emergency: of monitored people its service judges
  /// what can be read of a body, also of one that it refuses.
  package private(set) var bringsReadings = false
  /// For how long an answer to nobody in particular may be given to others who ask the same; nil
  /// where every question is asked anew.
  package private(set) var keptFor: Duration?
  /// Whether its callers are spectators of the run that they name, and are counted (RUN-15).
  package private(set) var countsSpectators = false
  /// Whether its success ends the caller's session.
  package private(set) var endsSession = false

  /// An endpoint that only reads.
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

  /// An endpoint that removes something. It is never repeated on its own account: the second time
  /// there may be nothing left to remove.
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

  /// An endpoint that does something.
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

  /// The name as text.
  package var operationID: String { name.description }
}

// MARK: What few endpoints are

extension Endpoint {
  /// The same, with an effect although it is a GET: it is never repeated on its own account.
  package func withEffect() -> Endpoint { with { $0.isRepeatable = false } }

  /// The same, and a device's token is good for it too.
  package func forDevices() -> Endpoint { with { $0.takesDevices = true } }

  /// The same for who logged in alone: it manages the account, which a third party's program must
  /// not.
  package func forPeopleOnly() -> Endpoint { with { $0.isForPeopleOnly = true } }

  /// The same for what a life may hang on: with limits and a way to the replicas of its own.
  package func forAlarms() -> Endpoint { with { $0.rate = .alarms } }

  /// The same for what searches others by name: slowed down, so that nobody lists them all.
  package func forSearches() -> Endpoint { with { $0.rate = .searches } }

  /// The same, and an account's requests all go to one replica while that is there.
  package func followingAccount() -> Endpoint { with { $0.followsAccount = true } }

  /// The same for what devices measure: an account's go to one replica, and there is room for so
  /// many at a time.
  package func forUploads() -> Endpoint {
    with { endpoint in
      endpoint.followsAccount = true
      endpoint.isUpload = true
    }
  }

  /// The same for readings that may be an emergency.
  package func forReadings() -> Endpoint { with { $0.bringsReadings = true } }

  /// The same, and success means that the caller's session is over.
  package func endingSession() -> Endpoint { with { $0.endsSession = true } }

  /// The same without `Idempotency-Key`: what is streamed is not kept, and what it does twice is
  /// harmless.
  package func withoutKey() -> Endpoint { with { $0.takesIdempotencyKey = false } }

  /// The same with an answer of server-sent events, which nobody waits to be whole.
  func streaming() -> Endpoint { with { $0.isEndless = true } }

  /// The same for a POST that only reads, whose question does not fit into a target.
  func onlyReading() -> Endpoint { with { $0.isRepeatable = true } }

  /// The same for what many ask at once and is everybody's alike: an answer is good for others for
  /// a quarter of a second, unless the service says otherwise with it.
  func keptForMoments() -> Endpoint { kept(for: .milliseconds(250)) }

  /// The same with an answer that is good for others for that long.
  package func kept(for duration: Duration) -> Endpoint { with { $0.keptFor = duration } }

  /// The same, and its callers are counted as spectators of the run that they name.
  func countingSpectators() -> Endpoint { with { $0.countsSpectators = true } }

  private func with(_ change: (inout Endpoint) -> Void) -> Endpoint {
    var endpoint = self
    change(&endpoint)
    return endpoint
  }
}
