import Domain
import EventLoop
import HTTP
import Privacy
import PublicAPI

/// Asks another of our services over internal HTTP, on behalf of who calls: nobody learns this way
/// what that service would not tell them. One per loop.
package struct InternalClient: Sendable {
  private let replicas: [HTTPClient]
  private let secret: InternalSecret

  /// Bytes of an answer at most: a page of a list with the longest texts.
  private static let bodyBytesMax = 16 << 20

  /// A client of these replicas, without a connection yet.
  package init(replicas addresses: [SocketAddress], secret: InternalSecret, on loop: EventLoop) {
    var settings = HTTPClientSettings()
    settings.timeouts.connect = .seconds(1)
    settings.timeouts.response = .seconds(5)
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
  ) async throws(Problem) -> HTTPClientResponse {
    var head = RequestHead(.get, target, authority: "internal")
    secret.withHeaderValue { head.fields.append(.internalSecret, copying: $0) }
    head.fields.append(.internalAccount, caller.account.description)
    head.fields.append(.internalKind, caller.kind.rawValue)
    head.fields.append(.internalSession, caller.session.hexadecimal)
    for replica in replicas {
      do throws(HTTPClientError) {
        let answer = try await replica.send(head, bodyBytesMax: Self.bodyBytesMax)
        if answer.head.status != .unavailable { return answer }
      } catch {
        // What only reads is asked of the next one.
        continue
      }
    }
    throw .unavailable(retryAfter: 1)
  }
}
