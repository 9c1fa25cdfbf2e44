import Operations

/// A transport for mails.
package protocol MailTransport: Sendable {
  /// Sends the mail; returns once the other side has accepted it.
  ///
  /// Throws `temporary` if a retry may help, `permanent` if it cannot.
  func send(_ mail: MailMessage) async throws(MailError)

  /// Sends the mail and ends early soon after the revocation. After `breakOff` it ends early only
  /// if the other side has not received all of the mail. A transport that does not block may ignore
  /// the revocation.
  func send(_ mail: MailMessage, unless revocation: MailRevocation) async throws(MailError)
}

extension MailTransport {
  /// Sends a mail that was not called back before the start.
  package func send(_ mail: MailMessage, unless revocation: MailRevocation) async throws(MailError)
  {
    guard !revocation.isMade else { throw .temporary(.calledBack) }
    try await send(mail)
  }
}

/// Why a mail was not accepted. Never contains an address, a text, or the server's reply text.
package enum MailError: Error, Sendable, Equatable {
  /// A retry may succeed: the server is unreachable, busy, or rejects this service as a whole.
  case temporary(MailFailure)
  /// A retry cannot succeed: the server rejects this mail (5xx).
  case permanent(MailFailure)

  /// The cause of the failure.
  package var failure: MailFailure {
    switch self {
    case .temporary(let failure), .permanent(let failure): failure
    }
  }
}

/// The cause of a failed mail, as numbers.
package enum MailFailure: Sendable, Equatable, CustomStringConvertible, LogSafe {
  /// The server's reply code (RFC 5321, 4.2).
  case reply(Int)
  /// libcurl's error number, such as 7 for no connection and 28 for a timeout.
  case transfer(Int)
  /// The server received the whole mail and did not answer; a retry may deliver it twice.
  case unanswered
  /// The system's error number while writing a file.
  case file(Int)
  /// Too many mails are already in transit.
  case busy
  /// The mail was called back, because its account or its request has ended. The server may still
  /// deliver it if it had received the whole text but not answered yet.
  case calledBack
  /// The process stopped before the server received the whole mail; it is retried later.
  case stopped
  /// The queued mail can't be unsealed, because the server's secret has changed.
  case unreadable

  /// A short text for the queue's table and the log.
  package var description: String {
    switch self {
    case .reply(let code): "SMTP reply \(code)"
    case .transfer(let code): "transfer error \(code)"
    case .unanswered: "no answer to the whole mail"
    case .file(let code): "file error \(code)"
    case .busy: "too many mails in transit"
    case .calledBack: "called back"
    case .stopped: "interrupted by a stop"
    case .unreadable: "sealed under another secret"
    }
  }

  /// The same as `description`.
  package var logText: String { description }
}
