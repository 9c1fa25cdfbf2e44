import Operations

/// What became of a call to a third party.
package enum CallbackOutcome: Sendable, Equatable {
  /// The endpoint answered with this status; its answer up to 64 KiB, and the seconds it asks to
  /// wait (0 for none).
  case answered(status: Int, body: [UInt8], retryAfter: Int)
  /// There was no whole answer.
  case failed(CallbackFailure)

  /// Whether the endpoint has taken it: 2xx and nothing else (Standard Webhooks 1.0.0).
  package var isTaken: Bool {
    if case .answered(200...299, _, _) = self { true } else { false }
  }
}

/// Why a call has failed; the raw value is that of the column. Never what the endpoint said.
package enum CallbackFailure: Int16, Sendable, CaseIterable, CustomStringConvertible, LogSafe {
  /// It answered with another status than 2xx.
  case status = 1
  /// The address is private, or not encrypted and not allowed by the operator.
  case address = 2
  /// The host has no address.
  case name = 3
  /// Nobody takes the connection.
  case connection = 4
  /// The certificate, or TLS.
  case certificate = 5
  /// No answer in time.
  case time = 6
  /// No HTTP answer, or one whose head is too long.
  case answer = 7
  /// This process is stopping, or has too many calls under way; not the endpoint's fault.
  case stopped = 8

  /// The word in the API.
  package var description: String {
    switch self {
    case .status: "status"
    case .address: "address not allowed"
    case .name: "unknown host"
    case .connection: "no connection"
    case .certificate: "certificate"
    case .time: "timed out"
    case .answer: "broken answer"
    case .stopped: "interrupted"
    }
  }

  /// The same.
  package var logText: String { description }
}

/// One call: where, the secret's headers, and the body.
package struct CallbackCall: Sendable {
  /// Where.
  package let url: CallbackURL
  /// Header lines, as `webhook-id: msg_1`.
  package let headers: [String]
  /// A JSON document.
  package let body: [UInt8]

  /// A call of its parts.
  package init(url: CallbackURL, headers: [String], body: [UInt8]) {
    self.url = url
    self.headers = headers
    self.body = body
  }
}
