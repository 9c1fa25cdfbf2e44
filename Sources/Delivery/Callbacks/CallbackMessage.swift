import EventLoop
import Privacy

/// What one call says, signed as the Standard Webhooks specification 1.0.0 wants it.
package struct CallbackMessage: Sendable {
  /// The identifier, the same at every attempt; without a dot.
  package let id: String
  /// The JSON document `{type, timestamp, data}`.
  package let body: [UInt8]

  /// A message of its parts.
  package init(id: String, body: [UInt8]) {
    self.id = id
    self.body = body
  }

  /// The call that brings it to an endpoint at this time, with a signature for each of the secrets,
  /// the newest first, as the specification has it for their rotation.
  package func call(to url: CallbackURL, under secrets: [WebhookSecret], at now: WallTime)
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
        // Empty: a body is sent without asking first whether it may be.
        "expect:",
      ], body: body)
  }
}

extension RetrySchedule {
  /// Callbacks: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h (Standard Webhooks 1.0.0),
  /// then the endpoint is switched off: three days in all.
  package static let callback = RetrySchedule(pauses: [
    .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000),
    .seconds(36_000), .seconds(50_400), .seconds(72_000), .seconds(86_400),
  ])
}
