/// A value confined to one loop, passed through code that may run on other threads.
///
/// Accessing the value on another thread stops the program, because it would be a data race.
// SAFETY: the value is returned only after asserting that the caller is on the loop.
package struct LoopBound<Value>: @unchecked Sendable {
  /// The loop the value belongs to.
  package let loop: EventLoop
  private let bound: Value

  /// Binds `value` to `loop`; the caller must not use it elsewhere afterwards.
  package init(_ value: Value, on loop: EventLoop) {
    self.bound = value
    self.loop = loop
  }

  /// The value; on its loop only.
  package var value: Value {
    loop.assertCurrent()
    return bound
  }
}
