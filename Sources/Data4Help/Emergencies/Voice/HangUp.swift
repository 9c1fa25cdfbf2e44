import Synchronization

/// Ends a voice call from outside, as when its message is obsolete. From any thread.
package final class HangUp: Sendable {
  private let asked = Mutex(false)

  /// A call that continues.
  package init() {}

  /// Whether the call must end.
  package var isAsked: Bool { asked.withLock { $0 } }

  /// Ends the call in any state; a call that waits for a line is not placed.
  package func ask() { asked.withLock { $0 = true } }
}
