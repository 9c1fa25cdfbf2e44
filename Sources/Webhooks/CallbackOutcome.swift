import Operations

/// The result of a callback to a third party.
package enum CallbackOutcome: Sendable, Equatable {
  /// The endpoint answered with this status. Carries up to 64 KiB of the body and the seconds of
  /// `Retry-After` (0 for none).
  case answered(status: Int, body: [UInt8], retryAfter: Int)
  /// No complete answer arrived.
  case failed(CallbackFailure)

  /// Whether the endpoint accepted the call: 2xx only (Standard Webhooks 1.0.0).
  package var isTaken: Bool {
    if case .answered(200...299, _, _) = self { true } else { false }
  }
}

/// Why a callback failed. The raw value is stored in the column. Never contains text of the
/// endpoint.
package enum CallbackFailure: Int16, Sendable, CaseIterable, CustomStringConvertible, LogSafe {
  /// The endpoint answered with a status other than 2xx.
  case status = 1
  /// The address is private, or the URL is not encrypted, and the operator does not allow it.
  case address = 2
  /// The host name has no address.
  case name = 3
  /// The connection was refused or failed.
  case connection = 4
  /// The certificate is not valid, or TLS failed.
  case certificate = 5
  /// The call timed out.
  case time = 6
  /// The answer is not HTTP, or its head is too long.
  case answer = 7
  /// This process is stopping or has too many calls in progress; the endpoint is not at fault.
  case stopped = 8

  /// The name in the API.
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

  /// The same as `description`.
  package var logText: String { description }
}

/// One HTTP call: the URL, the headers with the signatures, and the body; a GET without a body.
package struct CallbackCall: Sendable {
  /// The endpoint to call.
  package let url: CallbackURL
  /// Header lines, such as `webhook-id: msg_1`.
  package let headers: [String]
  /// A JSON document; nil for a GET.
  package let body: [UInt8]?

  /// Creates a GET.
  package init(getting url: CallbackURL, headers: [String]) {
    self.url = url
    self.headers = headers
    body = nil
  }

  /// Creates a POST from its parts.
  package init(url: CallbackURL, headers: [String], body: [UInt8]) {
    self.url = url
    self.headers = headers
    self.body = body
  }
}
