import Foundation
import Synchronization

/// A value that one thread waits for and another sets.
package final class Pending<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let condition = NSCondition()

  /// A value that is not set yet.
  package init() {}

  /// Sets the value, once.
  package func resolve(_ value: Value) {
    self.value.withLock { $0 = value }
    condition.lock()
    condition.signal()
    condition.unlock()
  }

  /// Blocks until the value is set.
  package func wait() -> Value {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let value = value.withLock({ $0 }) { return value }
      condition.wait()
    }
  }
}
