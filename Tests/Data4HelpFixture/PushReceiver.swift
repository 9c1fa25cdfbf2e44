import Accounts
import Bytes
import COpenSSL
import Cryptography
import Domain
import EventLoop
import Foundation
import HTTP
import Operations
import PublicAPI
import ServiceKit
import Support
import Synchronization
import Testing
import Web

/// A push service on the loopback, which records every message.
package final class PushReceiver: Sendable {
  /// A received message.
  package struct Message: Sendable {
    /// The last segment of the address.
    package let name: String
    package let fields: HTTPFields
    package let body: [UInt8]
  }

  package struct Silent: Error {}

  private struct State {
    var messages: [Message] = []
    var answer: @Sendable (Message) -> Response = { _ in Response(HTTPStatus(201)) }
    var port: UInt16 = 0
  }

  private let state = Mutex(State())
  private let loop: EventLoop

  private init() throws { loop = try EventLoop.start(name: "push") }

  /// Runs `body` with a push service.
  package static func with(_ body: @Sendable (PushReceiver) async throws -> Void) async throws {
    let receiver = try PushReceiver()
    defer { receiver.loop.stop() }
    let service = Service(
      Router([
        Route(.post, "/push/{name}", bodyBytesMax: 4096) { (request) throws(Problem) in
          receiver.take(request)
        }
      ]), log: .none)
    let server = try await HTTPServer.start(
      [HTTPListener(.tcp(host: "127.0.0.1", port: 0))], on: [receiver.loop],
      handlers: service.handlers)
    guard case .tcp(_, let port) = server.addresses[0] else { throw Silent() }
    receiver.state.withLock { $0.port = port }
    try await body(receiver)
  }

  /// The address of a browser.
  package func endpoint(_ name: String) -> String {
    "http://127.0.0.1:\(state.withLock { $0.port })/push/\(name)"
  }

  /// The messages so far.
  package var messages: [Message] { state.withLock { $0.messages } }

  /// Sets the answers from now on.
  package func answer(_ answer: @escaping @Sendable (Message) -> Response) {
    state.withLock { $0.answer = answer }
  }

  private func take(_ request: Request) -> Response {
    let message = Message(
      name: request.pathParameters["name"] ?? "", fields: request.head.fields,
      body: request.body.bytes)
    return state.withLock { state in
      state.messages.append(message)
      return state.answer(message)
    }
  }
}

/// A browser that subscribed, and opens its messages as RFC 8291 says.
package struct PushBrowser: Sendable {
  private let number = P256Key.randomSecret()
  private let secret = secureRandom(count: 16)
  package let endpoint: String

  package init(_ endpoint: String) { self.endpoint = endpoint }

  private var point: [UInt8] { P256Key(secret: number)?.point ?? [] }

  private static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64.url.append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The body that subscribes it, with the kinds to receive, all by default.
  package func body(kinds: [String]? = nil) -> String {
    let list = kinds.map { ",\"kinds\":[\($0.map { "\"\($0)\"" }.joined(separator: ","))]" } ?? ""
    return """
      {"endpoint":"\(endpoint)","p256dh":"\(Self.text(point))","auth":"\(Self.text(secret))"\(list)}
      """
  }

  /// The document of a message.
  package func open(_ message: PushReceiver.Message) throws -> [String: Any] {
    let body = message.body
    try #require(body.count > 86 + 17 && body[20] == 65)
    let (salt, sender) = (Array(body[0..<16]), Array(body[21..<86]))
    let key = try #require(P256Key(secret: number))
    let agreed = key.sharedSecret(with: sender.span)
    let shared = try #require(agreed)
    let info = Array("WebPush: info\0".utf8) + point + sender
    let material = HKDF.expand(
      shared.withBytes { HKDF.extract(salt: secret.span, material: $0) }, info: info.span, count: 32
    )
    let uniform = material.withBytes { HKDF.extract(salt: salt.span, material: $0) }
    let plain = try Self.opened(
      Array(body[86...]),
      HKDF.expand(uniform, info: "Content-Encoding: aes128gcm\0".utf8.span, count: 16),
      HKDF.expand(uniform, info: "Content-Encoding: nonce\0".utf8.span, count: 12))
    let mark = try #require(plain.lastIndex { $0 != 0 })
    try #require(plain[mark] == 2)
    return try #require(
      JSONSerialization.jsonObject(with: Data(plain[..<mark])) as? [String: Any])
  }

  private static func opened(
    _ record: [UInt8], _ key: SecretBytes, _ nonce: SecretBytes
  ) throws -> [UInt8] {
    let (key, nonce) = (
      key.withBytes { span in span.indices.map { span[$0] } },
      nonce.withBytes { span in span.indices.map { span[$0] } }
    )
    var tag = Array(record.suffix(16))
    let sealed = Array(record.dropLast(16))
    var plain = [UInt8](repeating: 0, count: sealed.count)
    var written: Int32 = 0
    // SAFETY: the context is created and freed here; key, nonce, tag and output have the lengths
    // that AES-128-GCM reads and writes.
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let isGenuine =
      unsafe EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
      && EVP_DecryptUpdate(context, &plain, &written, sealed, Int32(sealed.count)) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
      && EVP_DecryptFinal_ex(context, &tag, &written) == 1
    try #require(isGenuine)
    return plain
  }
}

/// Push messages in the stage of single requests.
extension SingleRequestStage {
  /// Subscribes a browser of an account; the reply has its identifier.
  package func subscribe(
    _ browser: PushBrowser, kinds: [String]? = nil, by account: AccountID = Known.mario,
    _ kind: AccountKind = .singleUser
  ) async throws -> Reply {
    try storeSession(of: account, kind)
    return try await call(.storePushSubscription, browser.body(kinds: kinds), by: account, kind)
  }

  /// Stores the session that every call states, because an ended one stores no subscription.
  private func storeSession(of account: AccountID, _ kind: AccountKind) throws {
    try run(
      """
      INSERT INTO data4help.sessions (
             token_hash, account_id, kind, started_at, last_used_at, expires_at, change)
      VALUES (sha256('token'), \(account), \(kind == .singleUser ? 1 : 2), now(), now(), now(), 0)
          ON CONFLICT DO NOTHING
      """)
  }

  /// Queues calls of a hospital for the only subscription, due now.
  package func queueCalls(_ count: Int, isUrgent: Bool = true) throws {
    try run(
      """
      INSERT INTO data4help.push_messages (
             account_id, subscription_id, is_urgent, next_attempt_at, expires_at)
      SELECT account_id, subscription_id, \(isUrgent), '\(clock.now)', '2100-01-01'
        FROM data4help.push_subscriptions, generate_series(1, \(count))
      """)
  }

  /// Sends the push messages that are due; returns their number.
  package func pushOnce() async throws -> Int {
    try await here {
      let count = try await self.push.value.claim()
      await self.push.value.settle()
      return count
    }
  }
}
