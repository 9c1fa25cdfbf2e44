import Cryptography
import EventLoop
import Postgres

/// The queue of outgoing mails, for one event loop.
///
/// A mail is queued in the transaction that causes it, so it exists if and only if that transaction
/// commits. It is then delivered at least once. A second copy is possible from the moment the
/// server accepts the text until the database records the delivery: after a crash, after a lost
/// answer of the server or the database, or if the server needs more than four and a half minutes
/// to answer. Both copies carry the same Message-ID (decision 0037).
package struct MailQueue: Sendable {
  let key: LoopBound<SealingKey>
  let wakeUp: WakeUpSignal

  /// A queue on this loop that seals mails under the server's mail key and wakes the worker by
  /// `wakeUp`.
  package init(root: RootSecret, wakeUp: WakeUpSignal, on loop: EventLoop) {
    key = LoopBound(SealingKey(mailOf: root), on: loop)
    self.wakeUp = wakeUp
  }

  /// Adds a mail to the queue as part of this transaction; call `announce` after the commit.
  ///
  /// A mail that is not wanted is stored as if it had already been sent: it is never delivered, and
  /// the equal duration of the call does not reveal that. The account of its owner is locked
  /// against deletion until the end of the transaction.
  package func enqueue<Failure: DatabaseFailure>(
    _ mail: MailMessage, of owner: MailOwner, if isWanted: Bool = true,
    in transaction: Transaction<Failure>
  ) async throws(Failure) {
    var mails = EnqueueMails()
    mails.append(mail, of: owner, if: isWanted, under: key.value)
    try await transaction.run(mails)
  }

  /// Adds any number of mails to the queue in one statement, each as `enqueue` of one mail does.
  package func enqueue<Failure: DatabaseFailure>(
    _ mails: [(MailMessage, of: MailOwner)], in transaction: Transaction<Failure>
  ) async throws(Failure) {
    guard !mails.isEmpty else { return }
    var rows = EnqueueMails()
    for (mail, owner) in mails { rows.append(mail, of: owner, if: true, under: key.value) }
    try await transaction.run(rows)
  }

  /// Wakes this process's worker after a commit, so that mails are sent at once rather than at the
  /// next poll (every five seconds).
  package func announce() { wakeUp.signal() }
}
