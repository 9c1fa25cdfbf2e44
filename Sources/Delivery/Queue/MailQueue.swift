import EventLoop
import Postgres
import Privacy

/// Where mails wait, as one event loop puts them there.
///
/// A mail is queued in the transaction that causes it: it exists if and only if that commits. It is
/// then delivered at least once. The window for a second copy is from the server's taking the text
/// to our commit that it did: a crash, a lost answer of the server or of the database in between,
/// or a server that answers only after four and a half minutes. Both copies carry the same
/// Message-ID (decision 0037).
package struct MailQueue: Sendable {
  let key: LoopBound<SealingKey>
  let bell: Bell

  /// A queue on this loop that seals under the server's mail key and rings `bell`.
  package init(root: RootSecret, bell: Bell, on loop: EventLoop) {
    key = LoopBound(SealingKey(mailOf: root), on: loop)
    self.bell = bell
  }

  /// Puts a mail into the queue, as part of this transaction; `announce` after it committed.
  ///
  /// One that is not wanted is written as if it had been sent: it leaves for nobody, and the time
  /// it takes tells nobody that. The account of its ties is held against its deletion to the end of
  /// the transaction.
  package func enqueue<Failure: DatabaseFailure>(
    _ mail: MailMessage, of ties: MailTies, if isWanted: Bool = true,
    in transaction: Transaction<Failure>
  ) async throws(Failure) {
    var mails = EnqueueMails()
    mails.append(mail, of: ties, if: isWanted, under: key.value)
    try await transaction.run(mails)
  }

  /// Puts mails into the queue as one does, in one statement however many they are.
  package func enqueue<Failure: DatabaseFailure>(
    _ mails: [(MailMessage, of: MailTies)], in transaction: Transaction<Failure>
  ) async throws(Failure) {
    guard !mails.isEmpty else { return }
    var rows = EnqueueMails()
    for (mail, ties) in mails { rows.append(mail, of: ties, if: true, under: key.value) }
    try await transaction.run(rows)
  }

  /// Wakes this process's worker, so that mails queued by a transaction that has committed leave at
  /// once and not with the next look (every five seconds).
  package func announce() { bell.ring() }
}
