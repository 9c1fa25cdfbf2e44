import Operations

/// What is counted of mail; nothing of whose it is.
struct MailMetrics: Sendable {
  /// Mails that the server took.
  let sent: Counter
  /// Mails that were given up.
  let failed: Counter
  /// Mails in the queue of the database, whichever process will send them.
  let waiting: Gauge

  /// Registers everything.
  init(_ metrics: Metrics) {
    sent = metrics.counter("trackme_mail_sent_total", "Mails that the mail server took.")
    failed = metrics.counter("trackme_mail_failed_total", "Mails that were given up.")
    waiting = metrics.gauge(
      "trackme_mail_waiting", "Mails in the queue, whichever process will send them.")
  }
}
