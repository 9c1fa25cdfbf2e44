import Synchronization

/// Counts changes that may affect cached responses. All loops share it, so that no loop serves an
/// outdated response after another loop has confirmed the change. Callable from any thread.
package final class ChangeCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  /// Creates a counter at zero.
  package init() {}

  /// The number of changes so far.
  package var value: UInt64 { count.load(ordering: .sequentiallyConsistent) }

  /// Records a possible change. Call it before any client learns of the change.
  package func advance() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
