import Synchronization

/// Cancels one mail while it is in transit. Callable from any thread.
package final class MailRevocation: Sendable {
  private let flag = Atomic(false)
  private let brokenOff = Atomic(false)

  /// The state of a mail that is not cancelled.
  package init() {}

  /// Whether the mail was called back: nothing more of it may be sent.
  package var isMade: Bool { flag.load(ordering: .acquiring) }

  /// Calls the mail back permanently.
  package func make() { flag.store(true, ordering: .releasing) }

  /// Whether to continue only if the server has already received the whole mail.
  package var isBrokenOff: Bool { brokenOff.load(ordering: .acquiring) }

  /// Postpones the mail because the process stops, unless the server has already received all of
  /// it.
  package func breakOff() { brokenOff.store(true, ordering: .releasing) }
}
