import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web
import Webhooks

/// The callback of a third party: registration, test, redelivery and removal (REQ-2).
package struct CallbackRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let effects: IdempotentEffects
  private let events: ThirdPartyEvents
  private let poster: CallbackPoster
  private let security: SecurityNotices

  /// Routes that call through this poster; `security` notifies the third party of changes.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys,
    effects: IdempotentEffects,
    events: ThirdPartyEvents, security: SecurityNotices, poster: CallbackPoster
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.effects = effects
    self.events = events
    self.poster = poster
    self.security = security
  }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.readCallback, read), routes.identified(.storeCallback, store),
      routes.identified(.rotateCallbackSecret, rotateSecret),
      routes.identified(.deleteCallback, delete), routes.identified(.testCallback, test),
      routes.identified(.resendCallback, resend), routes.identified(.callbackLog, log),
    ]
  }

  @Sendable private func read(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let row = try await row(of: identity)
    let endpoint = try row.endpoint(try await accountKeys.key(of: identity.account))
    return Response.json {
      $0.field("url", endpoint.url.text)
      $0.field("active", row.offReason == nil)
      $0.fieldIfPresent("reason", row.offReason?.apiName)
      $0.field("acknowledged", row.acknowledged)
      $0.field("failedAttempts", Int64(row.attempts))
      if let until = row.previousUntil, until > environment.now() {
        $0.field("previousUntil", until.description)
      }
      if row.attempts > 0, row.offReason == nil {
        $0.field("nextAttemptAt", row.nextAttemptAt.description)
      }
    }.notStored()
  }

  private static let noCallback = ApplicationError.notFound(
    "No callback is registered: register one with `POST /req/tp/callback`.")

  private func row(of identity: Identity) async throws(ApplicationError) -> CallbackRow {
    guard
      let row = try await database.row(CallbackOf(thirdParty: identity.account))
    else { throw Self.noCallback }
    return row
  }

  /// Stores an endpoint that has proved, by answering the challenge, that it accepts calls.
  @Sendable private func store(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(StoreCallbackBody.self)
    guard let url = CallbackURL(payload.url) else {
      throw .invalid(
        "A callback is an https URL of visible ASCII characters, without a user or fragment.",
        field: "url")
    }
    let secret = WebhookSecret.random()
    try await challenge(CallbackEndpoint(url: url, secret: secret))
    let account = identity.account
    let key = try await accountKeys.key(of: account)
    let sealedSecret = key.seal(secret.text, for: CallbackEndpoint.secret(account))
    let store = StoreCallback(
      thirdParty: account, sealedURL: key.seal(url.text, for: CallbackEndpoint.url(account)),
      sealedSecret: sealedSecret, now: environment.now())
    try await database.transaction { (transaction) throws(ApplicationError) in
      guard try await transaction.runOne(store) != nil else { throw .notFound }
      try await security.add(.callbackChanged(url), to: account, in: transaction)
    }
    security.announce()
    return Response.json { $0.field("secret", secret.text) }.notStored()
  }

  /// Creates a new secret; the previous one stays valid for a while, so that the third party can
  /// distribute the new one to its endpoints without losing a call.
  @Sendable private func rotateSecret(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(RotateCallbackSecretBody.self)
    let account = identity.account
    let secret = WebhookSecret.random()
    let key = try await accountKeys.key(of: account)
    let until =
      payload.overlap > .zero ? environment.now() + payload.overlap : nil as Instant?
    let rotate = RotateCallbackSecret(
      thirdParty: account,
      sealedSecret: key.seal(secret.text, for: CallbackEndpoint.secret(account)),
      previousUntil: until)
    try await database.transaction { (transaction) throws(ApplicationError) in
      guard try await transaction.runOne(rotate) != nil else { throw Self.noCallback }
      try await security.add(
        .callbackSecretRotated(previousUntil: until), to: account, in: transaction)
    }
    security.announce()
    return Response.json {
      $0.field("secret", secret.text)
      $0.fieldIfPresent("previousUntil", until?.description)
    }.notStored()
  }

  /// - Throws: `invalid` unless the endpoint answers 200 with the challenge.
  private func challenge(_ endpoint: CallbackEndpoint) async throws(ApplicationError) {
    let challenge = UniversalID.random().description
    let outcome = await call(endpoint, "endpoint.challenge", .random()) {
      $0.field("challenge", challenge)
    }
    switch outcome {
    case .answered(200, let body, _):
      guard let answer = Self.challenge(in: body), answer == challenge else {
        throw .invalid(
          "The endpoint did not answer with the challenge it was sent.", field: "url")
      }
    case .answered(let status, _, _):
      throw .invalid("The endpoint answered the challenge with \(status).", field: "url")
    case .failed(.stopped): throw .unavailable(retryAfter: 1)
    case .failed(.address):
      throw .invalid(
        "The endpoint has an address that is not called: only public ones are, and those that "
          + "the operator allows.", field: "url")
    case .failed(let failure):
      throw .invalid("The endpoint could not be called: \(failure).", field: "url")
    }
  }

  private static func challenge(in body: [UInt8]) -> String? {
    do throws(JSONError) {
      return try JSONReader.read(ChallengePayload.self, from: body).challenge
    } catch {
      return nil
    }
  }

  private func call(
    _ endpoint: CallbackEndpoint, _ type: String, _ id: UniversalID,
    _ data: (inout JSONWriter) -> Void
  ) async -> CallbackOutcome {
    let now = environment.now()
    let message = CallbackMessage(type, id: id, at: now, data)
    return await poster.post(
      message.call(to: endpoint.url, under: endpoint.secrets(at: now), at: now))
  }

  @Sendable private func delete(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    try await database.transaction { (transaction) throws(ApplicationError) in
      let deleted = try await transaction.runOne(DeleteCallback(thirdParty: identity.account))
      guard deleted != nil else { return }
      try await security.add(.callbackRemoved, to: identity.account, in: transaction)
    }
    security.announce()
    return .message("Action successful")
  }

  /// Calls the endpoint once, outside the sequence, and returns the outcome.
  @Sendable private func test(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let row = try await row(of: identity)
    let endpoint = try row.endpoint(try await accountKeys.key(of: identity.account))
    let now = environment.now()
    let outcome = await call(endpoint, "endpoint.test", .random()) { _ in }
    if outcome == .failed(.stopped) { throw .unavailable(retryAfter: 1) }
    let line = LogCallbackCall(identity.account, nil, outcome, at: now)
    guard try await database.effect(line) != nil else { throw Self.noCallback }
    return .json {
      $0.field("delivered", outcome.isTaken)
      $0.fieldIfPresent("status", line.status.map(Int64.init))
      $0.fieldIfPresent("error", line.error?.description)
    }
  }

  @Sendable private func resend(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(ResendCallbackBody.self)
    defer { events.announce() }
    return try await effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      let resend = ResendCallback(
        thirdParty: identity.account, since: payload.since, now: environment.now())
      guard let number = try await transaction.runOne(resend) else { throw Self.noCallback }
      return .message("Action successful") { $0.field("acknowledged", number) }
    }
  }

  @Sendable private func log(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let words = try PageCursor.words(.callbacks, in: request.query) ?? [.max, .max]
    let rows = try await database.rows(
      CallbackCalls(
        thirdParty: identity.account, before: UniversalID(high: words[0], low: words[1]),
        limit: limit + 1))
    let page = rows.prefix(limit)
    let callback = try await database.row(CallbackOf(thirdParty: identity.account))
    return .json { writer in
      writer.field("registered", callback != nil)
      writer.array("calls") { writer in
        for row in page { Self.write(row, to: &writer) }
      }
      if rows.count > limit, let last = page.last {
        writer.field("next", PageCursor.text(.callbacks, [last.id.high, last.id.low]))
      }
    }
  }

  private static func write(_ row: CallbackCallRow, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("id", row.number.map(CallbackMessage.id) ?? "test")
      writer.field("time", row.calledAt.description)
      writer.field("delivered", row.error == nil)
      writer.field("status", row.status.map(Int64.init))
      writer.field("error", row.error?.description)
      writer.field("nextAttemptAt", row.nextAttemptAt?.description)
    }
  }
}

/// The answer of an endpoint to a challenge.
struct ChallengePayload: JSONReadable {
  let challenge: String

  init(from reader: inout JSONReader) throws(JSONError) {
    challenge = try reader.object(with: "challenge")
  }
}
