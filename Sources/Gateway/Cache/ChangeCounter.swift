import Synchronization

/// How often something may have changed that kept answers tell of: shared by all loops, so that
/// nobody is told by one loop what is over since another one has answered. From any thread.
package final class ChangeCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  /// A counter of no changes.
  package init() {}

  /// The changes so far.
  package var value: UInt64 { count.load(ordering: .sequentiallyConsistent) }

  /// Something may have changed: to be called before anybody is told so.
  package func advance() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
