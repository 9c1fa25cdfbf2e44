import Operations

/// A way on which mails leave.
package protocol MailTransport: Sendable {
  /// Hands the mail over; returns once the other side has taken it.
  ///
  /// Throws `temporary` where trying again may help, `permanent` where it will not.
  func send(_ mail: MailMessage) async throws(MailError)

  /// The same, broken off soon after the mail was called back, or soon after it was broken off
  /// unless the other side has all of it; a transport that takes no time may do without.
  func send(_ mail: MailMessage, unless recall: MailRecall) async throws(MailError)
}

extension MailTransport {
  /// Hands over a mail that was not called back before.
  package func send(_ mail: MailMessage, unless recall: MailRecall) async throws(MailError) {
    guard !recall.isMade else { throw .temporary(.calledBack) }
    try await send(mail)
  }
}

/// Why a mail was not taken. Never holds an address, a text, or what the server said.
package enum MailError: Error, Sendable, Equatable {
  /// It may be taken later: the server is away, busy, or refuses us as a whole.
  case temporary(MailFailure)
  /// It will never be taken: the server refuses this mail (5xx).
  case permanent(MailFailure)

  /// What went wrong.
  package var failure: MailFailure {
    switch self {
    case .temporary(let failure), .permanent(let failure): failure
    }
  }
}

/// What went wrong with a mail, by numbers.
package enum MailFailure: Sendable, Equatable, CustomStringConvertible, LogSafe {
  /// The server's reply code (RFC 5321, 4.2).
  case reply(Int)
  /// libcurl's error number, as 7 for no connection and 28 for no answer in time.
  case transfer(Int)
  /// The server had the whole mail and did not say whether it took it: it may come twice.
  case unanswered
  /// The system's error number while writing a file.
  case file(Int)
  /// Too many mails are on their way already.
  case busy
  /// It was called back: its account or its request has ended. The server may have it all the same
  /// if it had all of the text and had not answered yet.
  case calledBack
  /// It was left for later before the server had all of it: the process ends.
  case stopped
  /// The queued mail can't be opened: the server's secret is another one.
  case unreadable

  /// A few words for the queue's table and the log.
  package var description: String {
    switch self {
    case .reply(let code): "SMTP reply \(code)"
    case .transfer(let code): "transfer error \(code)"
    case .unanswered: "no answer to the whole mail"
    case .file(let code): "file error \(code)"
    case .busy: "too many mails at once"
    case .calledBack: "called back"
    case .stopped: "broken off by a stop"
    case .unreadable: "sealed under another secret"
    }
  }

  /// The same.
  package var logText: String { description }
}
