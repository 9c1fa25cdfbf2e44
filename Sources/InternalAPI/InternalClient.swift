import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Operations
import PublicAPI
import ServiceKit
import Web

/// Calls another service of the product over internal HTTP: on behalf of a caller, who learns only
/// what that service would disclose to the caller, or on behalf of no account for the paths of
/// `InternalPath`. One per loop.
package struct InternalClient: Sendable {
  private let replicas: [HTTPClient]
  private let secret: InternalSecret
  /// What causes the calls; nil for calls whose identifier the called service chooses.
  private var cause: Cause?

  /// The maximum size in bytes of a response: a page of a list with the longest texts.
  private static let bodyBytesMax = 16 << 20

  /// A client of these replicas, without a connection yet, with this time limit for a response.
  package init(
    replicas addresses: [SocketAddress], over link: InnerLink = .plain, secret: InternalSecret,
    on loop: EventLoop, answerWithin: Duration = .seconds(5)
  ) {
    replicas = addresses.map { address in
      var settings = HTTPClientSettings()
      settings.timeouts.connect = .seconds(1)
      settings.timeouts.response = answerWithin
      link.secure(&settings, to: address)
      return HTTPClient(to: address, on: loop, settings: settings)
    }
    self.secret = secret
  }

  /// The request or the background work that causes calls, by which the log of the called service
  /// names them.
  private struct Cause {
    let requestID: RequestID
    let trace: TraceParent?
  }

  /// The same client, whose calls carry the identifier of this request and continue its trace.
  package func following(_ request: Request) -> InternalClient {
    following(Cause(requestID: request.requestID, trace: request.head.trace))
  }

  /// The same client, whose calls carry the identifier of background work.
  package func following(_ work: RequestID) -> InternalClient {
    following(Cause(requestID: work, trace: nil))
  }

  private func following(_ cause: Cause) -> InternalClient {
    var client = self
    client.cause = cause
    return client
  }

  /// The response of the first available replica.
  ///
  /// The caller is presented as one who logged in: the permissions of a caller's programs were
  /// checked before.
  ///
  /// - Throws: `unavailable` while no replica responds.
  package func get(
    _ target: String, for caller: Identity
  ) async throws(ApplicationError) -> HTTPClientResponse {
    var head = head(.get, target)
    head.fields.append(.internalAccount, caller.account.description)
    head.fields.append(.internalKind, caller.kind.rawValue)
    head.fields.append(.internalSession, caller.session.hexadecimal)
    return try await send(head, [])
  }

  /// The response of the first available replica to a request by the service itself.
  ///
  /// - Throws: `unavailable` while no replica responds.
  package func get(_ target: String) async throws(ApplicationError) -> HTTPClientResponse {
    try await send(head(.get, target), [])
  }

  /// The response of the first available replica to a repeatable request, which is sent to another
  /// replica if a response was lost. `key` is its `Idempotency-Key`, if it needs one. `limit` is
  /// the time that each replica has for it, if that is shorter than the client's time limit.
  ///
  /// - Throws: `unavailable` while no replica responds.
  package func post(
    _ target: String, _ body: some JSONWritable, key: String? = nil,
    within limit: Duration? = nil
  ) async throws(ApplicationError) -> HTTPClientResponse {
    var head = head(.post, target)
    head.fields.append(.contentType, "application/json")
    if let key { head.fields.append(.idempotencyKey, key) }
    var writer = JSONWriter()
    writer.value(body)
    return try await send(head, writer.bytes, within: limit)
  }

  /// A request that carries the secret, and the identifier and the trace of its cause.
  package func head(_ method: HTTPMethod, _ target: String) -> RequestHead {
    var head = RequestHead(method, target, authority: "internal")
    secret.withHeaderValue { head.fields.append(.internalSecret, copying: $0) }
    if let cause {
      head.fields.append(.requestID, cause.requestID.description)
      if let trace = cause.trace { head.fields.append(trace.following(.random())) }
    }
    return head
  }

  private func send(
    _ head: RequestHead, _ body: [UInt8], within limit: Duration? = nil
  ) async throws(ApplicationError) -> HTTPClientResponse {
    var cause = "no replica is configured"
    for replica in replicas {
      do throws(HTTPClientError) {
        let answer = try await replica.send(
          head, body: body, bodyBytesMax: Self.bodyBytesMax, within: limit)
        if answer.head.status != .unavailable { return answer }
        cause = "a replica answered 503"
      } catch {
        // Repeatable requests are sent to the next replica.
        cause = "a request to a replica failed: \(error)"
      }
    }
    throw ApplicationError(.unavailable, retryAfter: 1, cause: cause)
  }
}
