import Cryptography
import Operations
import Time

/// The content of one callback, signed as Standard Webhooks specification 1.0.0 requires.
package struct CallbackMessage: Sendable {
  /// The message identifier, the same in every attempt; contains no dot.
  package let id: String
  /// The JSON document `{type, timestamp, data}`.
  package let body: [UInt8]

  /// Creates a message from its parts.
  package init(id: String, body: [UInt8]) {
    self.id = id
    self.body = body
  }

  /// The HTTP call that sends the message to an endpoint at this time. It carries one signature for
  /// each secret, newest first, as the specification describes for rotating secrets.
  package func call(to url: CallbackURL, under secrets: [WebhookSecret], at now: Instant)
    -> CallbackCall
  {
    let seconds = now.millisecondsSince1970 / 1000
    let signature = secrets.map {
      $0.signature(identifier: id, timestamp: seconds, body: body.span)
    }.joined(separator: " ")
    return CallbackCall(
      url: url,
      headers: [
        "content-type: application/json", "user-agent: TrackMe", "webhook-id: \(id)",
        "webhook-timestamp: \(seconds)", "webhook-signature: \(signature)",
        // An empty `Expect` header sends the body without waiting for 100 Continue.
        "expect:",
      ], body: body)
  }
}

extension RetrySchedule {
  /// Callbacks: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h (Standard Webhooks 1.0.0),
  /// three days in total. Then the endpoint is disabled.
  package static let callback = RetrySchedule(pauses: [
    .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000),
    .seconds(36_000), .seconds(50_400), .seconds(72_000), .seconds(86_400),
  ])
}
