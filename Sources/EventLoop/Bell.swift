import Synchronization

/// Tells who listens, on whatever loops they are, that something has come: what it is, they look
/// for themselves.
package final class Bell: Sendable {
  private let listeners = Mutex<[@Sendable () -> Void]>([])

  /// A bell that nobody hears yet.
  package init() {}

  /// Rings; from any thread.
  package func ring() { for listener in listeners.withLock({ $0 }) { listener() } }

  /// Calls `listener` at each ring from now on, on the thread that rings; it must not wait.
  package func heard(by listener: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.append(listener) }
  }
}
