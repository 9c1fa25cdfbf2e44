import Synchronization

/// Ends a call by voice from outside, as when what it says holds no more. From any thread.
package final class HangUp: Sendable {
  private let asked = Mutex(false)

  /// The call goes on.
  package init() {}

  /// Whether the call is to end.
  package var isAsked: Bool { asked.withLock { $0 } }

  /// Has the call end, wherever it is; one that waits for a line is not placed.
  package func ask() { asked.withLock { $0 = true } }
}
