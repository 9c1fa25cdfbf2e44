import Domain
import EventLoop
import HTTP
import JSON
import Privacy
import PublicAPI

/// Asks another of our services over internal HTTP: on behalf of who calls, so that nobody learns
/// this way what that service would not tell them, or for nobody what `InternalPath` has. One per
/// loop.
package struct InternalClient: Sendable {
  private let replicas: [HTTPClient]
  private let secret: InternalSecret

  /// Bytes of an answer at most: a page of a list with the longest texts.
  private static let bodyBytesMax = 16 << 20

  /// A client of these replicas, without a connection yet, that waits so long for an answer.
  package init(
    replicas addresses: [SocketAddress], secret: InternalSecret, on loop: EventLoop,
    answerWithin: Duration = .seconds(5)
  ) {
    var settings = HTTPClientSettings()
    settings.timeouts.connect = .seconds(1)
    settings.timeouts.response = answerWithin
    replicas = addresses.map { HTTPClient(to: $0, on: loop, settings: settings) }
    self.secret = secret
  }

  /// What the first replica answers that can.
  ///
  /// The caller is shown as somebody who logged in: what a program of theirs may do here was
  /// decided before.
  ///
  /// - Throws: 503 while no replica answers.
  package func get(
    _ target: String, for caller: Identity
  ) async throws(ApplicationError) -> HTTPClientResponse {
    var head = head(.get, target)
    head.fields.append(.internalAccount, caller.account.description)
    head.fields.append(.internalKind, caller.kind.rawValue)
    head.fields.append(.internalSession, caller.session.hexadecimal)
    return try await send(head, [])
  }

  /// What the first replica answers that can, to what the service itself asks for nobody.
  ///
  /// - Throws: 503 while no replica answers.
  package func get(_ target: String) async throws(ApplicationError) -> HTTPClientResponse {
    try await send(head(.get, target), [])
  }

  /// What the first replica answers that can, to something that can be repeated: sent to another
  /// one where an answer was lost. `key` is its `Idempotency-Key`, where it needs one.
  ///
  /// - Throws: 503 while no replica answers.
  package func post(
    _ target: String, _ body: some JSONWritable, key: String? = nil
  ) async throws(ApplicationError) -> HTTPClientResponse {
    var head = head(.post, target)
    head.fields.append(.contentType, "application/json")
    if let key { head.fields.append(.idempotencyKey, key) }
    var writer = JSONWriter()
    writer.value(body)
    return try await send(head, writer.bytes)
  }

  /// A request that shows the secret.
  package func head(_ method: HTTPMethod, _ target: String) -> RequestHead {
    var head = RequestHead(method, target, authority: "internal")
    secret.withHeaderValue { head.fields.append(.internalSecret, copying: $0) }
    return head
  }

  private func send(
    _ head: RequestHead, _ body: [UInt8]
  ) async throws(ApplicationError) -> HTTPClientResponse {
    for replica in replicas {
      do throws(HTTPClientError) {
        let answer = try await replica.send(head, body: body, bodyBytesMax: Self.bodyBytesMax)
        if answer.head.status != .unavailable { return answer }
      } catch {
        // What can be repeated is asked of the next one.
        continue
      }
    }
    throw .unavailable(retryAfter: 1)
  }
}
