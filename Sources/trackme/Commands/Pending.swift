import Foundation
import Synchronization

/// A value that one thread waits for and another sets.
final class Pending<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let condition = NSCondition()

  func resolve(_ value: Value) {
    self.value.withLock { $0 = value }
    condition.lock()
    condition.signal()
    condition.unlock()
  }

  func wait() -> Value {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let value = value.withLock({ $0 }) { return value }
      condition.wait()
    }
  }
}
