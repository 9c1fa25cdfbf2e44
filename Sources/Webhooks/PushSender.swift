import Bytes
import Cryptography
import EventLoop
import Operations
import Time

/// A message to a browser, before its encryption.
package struct PushContent: Sendable {
  /// The JSON document that the service worker reads.
  package let bytes: [UInt8]
  /// Whether the push service wakes a device that saves power (RFC 8030, 5.3).
  package let isUrgent: Bool
  /// Messages with an equal topic replace each other while they wait at the push service.
  package let topic: String?

  /// A message; `topic` is any text, whose hash the push service gets (RFC 8030, 5.4).
  package init(_ bytes: [UInt8], isUrgent: Bool, topic: String? = nil) {
    self.bytes = bytes
    self.isUrgent = isUrgent
    self.topic = topic.map { topic in
      let hash = SHA256.digest(of: topic.utf8.span).inlineBytes
      var text: [UInt8] = []
      Base64.url.append(hash.span.extracting(first: 24), to: &text)
      return String(decoding: text, as: UTF8.self)
    }
  }
}

/// The result of an attempt to send a push message.
package enum PushOutcome: Sendable, Equatable {
  /// The push service accepted it.
  case accepted
  /// The subscription has ended.
  case unsubscribed
  /// The push service refuses this message: a retry cannot succeed.
  case refused(status: Int)
  /// A retry may succeed, after the seconds that the push service asks for (0 for none).
  case postponed(CallbackFailure, retryAfter: Int)
}

/// Sends encrypted messages to push services, through libcurl and with the checks of addresses that
/// callbacks have. A process has one.
package struct PushSender: Sendable {
  /// How long a token is valid; push services accept a day at most (RFC 8292, 2).
  private static let tokenSeconds: Int64 = 12 * 3600

  /// The key to which subscriptions are bound.
  package let key: PushKey
  /// The addresses that are called.
  package let addresses: CallbackAddresses
  private let poster: CallbackPoster
  private let contact: String

  /// A sender over a poster of its own. `contact` is the URL under which the operators of push
  /// services reach that of TrackMe.
  ///
  /// - Throws: `SystemError` when the system refuses the poster's thread.
  package init(
    _ settings: CallbackPoster.Settings, key: PushKey, contact: String
  ) throws(SystemError) {
    self.key = key
    self.contact = contact
    addresses = settings.addresses
    poster = try CallbackPoster(settings)
  }

  /// Sends a message, which the push service keeps until `expiresAt` while it can't reach the
  /// browser.
  package func send(
    _ content: PushContent, to endpoint: PushEndpoint, until expiresAt: Instant, at now: Instant
  ) async -> PushOutcome {
    guard let body = endpoint.recipient.encrypted(content.bytes.span) else {
      return .refused(status: Self.longMessageStatus)
    }
    let seconds = now.millisecondsSince1970 / 1000
    let timeToLive = max(0, expiresAt.millisecondsSince1970 / 1000 - seconds)
    let token = key.authorization(
      for: endpoint.origin, until: seconds + Self.tokenSeconds, contact: contact)
    var headers = [
      "content-type: application/octet-stream", "content-encoding: aes128gcm",
      "user-agent: TrackMe", "ttl: \(timeToLive)",
      "urgency: \(content.isUrgent ? "high" : "normal")", "authorization: \(token)",
      // An empty `Expect` header sends the body without waiting for 100 Continue.
      "expect:",
    ]
    if let topic = content.topic { headers.append("topic: \(topic)") }
    let call = CallbackCall(url: endpoint.url, headers: headers, body: body)
    return Self.outcome(await poster.post(call))
  }

  /// Ends the messages in progress and sends no further ones.
  package func stop() { poster.stop() }

  /// The status with which push services refuse a message that is too long (RFC 8030, 7.2).
  private static let longMessageStatus = 413

  static func outcome(_ outcome: CallbackOutcome) -> PushOutcome {
    switch outcome {
    case .answered(200...299, _, _): .accepted
    // 404 after the subscription's end, 410 after the browser's (RFC 8030, 7.3).
    case .answered(404, _, _), .answered(410, _, _): .unsubscribed
    case .answered(429, _, let seconds), .answered(500...599, _, let seconds):
      .postponed(.status, retryAfter: seconds)
    case .answered(let status, _, _): .refused(status: status)
    case .failed(let failure): .postponed(failure, retryAfter: 0)
    }
  }
}
