/// One task that waits on a loop until something on the same loop wakes it.
@safe final class Waiter {
  private var continuation: UnsafeContinuation<Void, Never>?

  /// Returns after the next `wake`. One task at a time: a second one would never be woken, so it
  /// wakes the first.
  func wait() async {
    wake()
    // SAFETY: resumed exactly once, by `wake`, which takes it out first.
    unsafe await withUnsafeContinuation { unsafe continuation = $0 }
  }

  /// Lets the waiting task go on; without one, does nothing.
  func wake() {
    guard let continuation = unsafe continuation else { return }
    unsafe self.continuation = nil
    unsafe continuation.resume()
  }
}
