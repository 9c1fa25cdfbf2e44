/// A value that belongs to one loop, carried through code that may run anywhere.
///
/// Touching the value off its loop stops the program: it would be a data race.
// SAFETY: the value is handed out only after asserting that the caller is on the loop.
package struct LoopBound<Value>: @unchecked Sendable {
  /// The loop the value belongs to.
  package let loop: EventLoop
  private let bound: Value

  /// Binds `value` to `loop`; the caller gives up touching it elsewhere.
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
