import Operations

/// The metrics of mail; they contain nothing about recipients.
struct MailMetrics: Sendable {
  /// Mails accepted by the mail server.
  let sent: Counter
  /// Mails that failed for good.
  let failed: Counter
  /// Mails that wait in the database's queue, for any process to send.
  let waiting: Gauge

  /// Registers the metrics.
  init(_ metrics: Metrics) {
    sent = metrics.counter("trackme_mail_sent_total", "Mails accepted by the mail server.")
    failed = metrics.counter("trackme_mail_failed_total", "Mails that failed permanently.")
    waiting = metrics.gauge(
      "trackme_mail_waiting", "Mails in the queue of the database, for any process to send.")
  }
}
