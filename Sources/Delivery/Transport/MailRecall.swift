import Synchronization

/// Calls one mail back while it is on its way. From any thread.
package final class MailRecall: Sendable {
  private let flag = Atomic(false)
  private let brokenOff = Atomic(false)

  /// A mail that may go on.
  package init() {}

  /// Whether it was called back: nothing more of it may leave.
  package var isMade: Bool { flag.load(ordering: .acquiring) }

  /// Calls it back, for good.
  package func make() { flag.store(true, ordering: .releasing) }

  /// Whether it is to go on only if the server has all of it already.
  package var isBrokenOff: Bool { brokenOff.load(ordering: .acquiring) }

  /// Leaves it for later, unless the server has all of it already: the process ends.
  package func breakOff() { brokenOff.store(true, ordering: .releasing) }
}
