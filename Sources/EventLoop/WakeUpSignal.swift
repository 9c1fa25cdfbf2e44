import Synchronization

/// Wakes listeners on any number of loops. A signal carries no data: listeners look up what
/// changed.
package final class WakeUpSignal: Sendable {
  private let listeners = Mutex<[@Sendable () -> Void]>([])

  /// A signal without listeners.
  package init() {}

  /// Calls all listeners. From any thread.
  package func signal() { for listener in listeners.withLock({ $0 }) { listener() } }

  /// Adds a listener, called on the thread that signals; it must not block.
  package func onSignal(_ listener: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.append(listener) }
  }
}
