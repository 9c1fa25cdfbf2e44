import EventLoop
import Operations

/// Sends mails to one mail server by SMTP, through libcurl on a few threads of its own.
///
/// `smtps://` is TLS from the first byte; `smtp://` takes STARTTLS where the server offers it, and
/// insists on it where the URL has a password, unless the server is on this machine. Certificates
/// are checked.
package struct SMTPTransport: MailTransport {
  /// What an operator may choose.
  package struct Settings: Sendable {
    /// `smtp(s)://user:password@host:port`.
    package var url: Secret
    /// How long connecting may take.
    package var connectMax = Duration.seconds(10)
    /// How long a mail may take until its last byte has been handed over.
    package var sendMax = Duration.seconds(60)
    /// How long it may take in all: a server that has a mail may think about it, and who asks again
    /// too early gets it delivered twice (RFC 5321, 4.5.3.2.6). As long as a worker holds it, less
    /// what noting its end may take.
    package var conversationMax = MailWorker.lease - MailWorker.notingMax
    /// A file of certificate authorities to trust in place of the system's.
    package var authoritiesPath: String?

    /// The server at this URL, with the times above.
    package init(url: Secret) { self.url = url }
  }

  /// Mails that are on their way at the same time.
  package static let parallelMax = 2
  private let settings: Settings
  private let pool: BlockingPool

  /// - Throws: `SystemError` when the system refuses the threads.
  package init(_ settings: Settings) throws(SystemError) {
    self.settings = settings
    pool = try BlockingPool(name: "smtp", threads: Self.parallelMax, queueMax: 16)
  }

  /// Sends the mail in a conversation of its own.
  package func send(_ mail: MailMessage) async throws(MailError) {
    try await send(mail, unless: MailRecall())
  }

  /// The same; the conversation is broken off within about a second of the mail's being called
  /// back, or broken off before the server has all of it.
  package func send(_ mail: MailMessage, unless recall: MailRecall) async throws(MailError) {
    let settings = settings
    let outcome: Result<Void, MailError>
    do throws(BlockingPoolError) {
      outcome = try await pool.run { () throws(MailError) in
        try SMTPConversation(settings).run(mail, unless: recall)
      }
    } catch {
      throw .temporary(.busy)
    }
    try outcome.get()
  }
}
