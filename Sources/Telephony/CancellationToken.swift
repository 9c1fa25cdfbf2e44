import Synchronization

/// Ends a voice call from outside, as when its message is obsolete. From any thread.
package final class CancellationToken: Sendable {
  private let cancelled = Mutex(false)

  /// A token of a call that continues.
  package init() {}

  /// Whether the call must end.
  package var isCancelled: Bool { cancelled.withLock { $0 } }

  /// Ends the call in any state; a call that waits for a line is not placed.
  package func cancel() { cancelled.withLock { $0 = true } }
}
