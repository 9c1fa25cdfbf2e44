import EventLoop
import Operations

/// Sends mails to one mail server by SMTP, through libcurl on a few dedicated threads.
///
/// `smtps://` uses TLS from the first byte. `smtp://` uses STARTTLS if the server offers it, and
/// requires it if the URL has a password and the server is on another machine. Certificates are
/// verified.
package struct SMTPTransport: MailTransport {
  /// The settings of an operator.
  package struct Settings: Sendable {
    /// `smtp(s)://user:password@host:port`.
    package var url: Secret
    /// The connect timeout.
    package var connectMax = Duration.seconds(10)
    /// The timeout until the last byte of the mail is sent.
    package var sendMax = Duration.seconds(60)
    /// The timeout of the whole conversation. A server may take time to process a complete mail,
    /// and a client that retries too early causes a duplicate (RFC 5321, 4.5.3.2.6). Therefore the
    /// timeout is the worker's lease less the time to record the result.
    package var conversationMax = MailWorker.lease - MailWorker.notingMax
    /// A file of certificate authorities to trust instead of the system's.
    package var authoritiesPath: String?

    /// The server at this URL, with the default timeouts.
    package init(url: Secret) { self.url = url }
  }

  /// The most mails sent at the same time.
  package static let parallelMax = 2
  private let settings: Settings
  private let pool: BlockingPool

  /// - Throws: `SystemError` when the system refuses the threads.
  package init(_ settings: Settings) throws(SystemError) {
    self.settings = settings
    pool = try BlockingPool(name: "smtp", threads: Self.parallelMax, queueMax: 16)
  }

  /// Sends the mail in a separate SMTP conversation.
  package func send(_ mail: MailMessage) async throws(MailError) {
    try await send(mail, unless: MailRevocation())
  }

  /// Sends the mail; ends within about a second after the mail is called back, or after `breakOff`
  /// before the server has received all of it.
  package func send(_ mail: MailMessage, unless revocation: MailRevocation) async throws(MailError)
  {
    let settings = settings
    let outcome: Result<Void, MailError>
    do throws(BlockingPoolError) {
      outcome = try await pool.run { () throws(MailError) in
        try SMTPConversation(settings).run(mail, unless: revocation)
      }
    } catch {
      throw .temporary(.busy)
    }
    try outcome.get()
  }
}
