import Synchronization

/// Wakes listeners on any number of loops. A ring carries no data: listeners look up what changed.
package final class Bell: Sendable {
  private let listeners = Mutex<[@Sendable () -> Void]>([])

  /// A bell without listeners.
  package init() {}

  /// Calls all listeners. From any thread.
  package func ring() { for listener in listeners.withLock({ $0 }) { listener() } }

  /// Adds a listener, called on the thread that rings; it must not block.
  package func heard(by listener: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.append(listener) }
  }
}
