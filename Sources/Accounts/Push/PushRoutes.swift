import Bytes
import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web
import Webhooks

/// The browsers to which an account's notices are pushed (NTF-2).
package struct PushRoutes: Sendable {
  /// The maximum number of subscriptions of an account.
  package static let subscriptionsMax: Int64 = 10

  private let dependencies: AccountsDependencies
  private let sender: PushSender
  private let blindIndex: BlindIndex

  /// Routes for subscriptions that `sender` can reach.
  package init(_ dependencies: AccountsDependencies, sender: PushSender) {
    self.dependencies = dependencies
    self.sender = sender
    blindIndex = BlindIndex(.pushEndpoint, root: dependencies.root)
  }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.pushSubscriptions, list), routes.identified(.storePushSubscription, store),
      routes.identified(.removePushSubscription, remove),
    ]
  }

  /// A damaged subscription is listed without its address, so that it can be removed.
  @Sendable private func list(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let account = identity.account
    let rows = try await dependencies.database.rows(PushSubscriptions(account: account))
    let key = try await dependencies.accountKeys.key(of: account)
    return Response.json { writer in
      writer.field("publicKey", sender.key.publicText)
      writer.array("subscriptions") { writer in
        for row in rows {
          let stored = StoredPushEndpoint.open(
            row.sealedEndpoint, under: key, account, row.subscription, log: dependencies.log)
          writer.object { writer in
            writer.field("subscriptionID", row.subscription.description)
            writer.field("endpoint", stored?.endpoint ?? "")
            writer.field("kinds", NoticeKind.kinds(row.kinds).map(\.apiName))
            writer.field("createdAt", row.createdAt.description)
            writer.field("current", row.session == identity.session)
          }
        }
      }
    }.notStored()
  }

  /// Stores the subscription of a browser, or replaces it. An eleventh one replaces the oldest: the
  /// browser that asks now is in use, and one that is no longer used never ends its subscription.
  ///
  /// - Throws: `invalid` for an address that is not called, keys that no browser has and unknown
  ///   kinds; `unauthenticated` if the session has ended meanwhile; `unavailable`.
  @Sendable private func store(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(StorePushSubscriptionBody.self)
    let kinds = try payload.kinds.map { (names) throws(ApplicationError) in
      try NoticeKind.bits(of: names)
    }
    let stored = StoredPushEndpoint(
      endpoint: payload.endpoint, publicKey: payload.publicKey, secret: payload.secret)
    try check(stored)
    let (account, session) = (identity.account, identity.session)
    let key = try await dependencies.accountKeys.key(of: account)
    let endpoint = blindIndex.value(of: payload.endpoint)
    let now = dependencies.environment.now()
    return try await dependencies.effects.run(request, for: account) {
      (transaction) throws(ApplicationError) in
      try await transaction.lockAccount(of: identity)
      let known = try await transaction.runOne(
        KnownPushSubscription(account: account, endpoint: endpoint))
      let id = known ?? .random()
      try await transaction.run(
        TakeOverPushEndpoint(account: account, endpoint: endpoint),
        DeleteOldestPushSubscriptions(
          account: account, endpoint: endpoint, othersMax: Self.subscriptionsMax - 1),
        StorePushSubscription(
          account: account, subscription: id, endpoint: endpoint, session: session,
          kinds: kinds ?? NoticeKind.allBits,
          sealedEndpoint: stored.sealed(under: key, account, id), now: now))
      return .json { $0.field("subscriptionID", id.description) }
    }
  }

  /// - Throws: `invalid` with the field at fault.
  private func check(_ stored: StoredPushEndpoint) throws(ApplicationError) {
    guard let url = stored.url else {
      throw .invalid(
        "An address at a push service is an https URL of visible ASCII characters, without a user "
          + "or fragment.", field: "endpoint")
    }
    guard !sender.addresses.rulesOut(url) else {
      throw .invalid(
        "The push service is at an address that is not called: only public ones are, over https, "
          + "and those that the operator allows.", field: "endpoint")
    }
    guard let secret = Base64.url.decode(stored.secret.utf8.span),
      secret.count == PushRecipient.secretBytes
    else {
      throw .invalid("The secret is 16 bytes in base64url without padding.", field: "auth")
    }
    guard stored.recipient != nil else {
      throw .invalid(
        "The public key is an uncompressed point of P-256 in base64url without padding.",
        field: "p256dh")
    }
  }

  /// - Throws: `notFound` for one that is unknown or another account's, `unavailable`.
  @Sendable private func remove(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    guard let id = request.pathParameters["subscriptionID"].flatMap({ UniversalID($0) }) else {
      throw .notFound
    }
    let removed = try await dependencies.database.effect(
      DeletePushSubscription(account: identity.account, subscription: id))
    guard removed != nil else { throw .notFound }
    return .message("Action successful")
  }
}
