/// Suspends one task on a loop until code on the same loop wakes it.
@safe final class Waiter {
  private var continuation: UnsafeContinuation<Void, Never>?

  /// Returns after the next `wake`. Only one task can wait: a second caller resumes the first,
  /// which would otherwise never be resumed.
  func wait() async {
    wake()
    // SAFETY: resumed exactly once, by `wake`, which removes it first.
    unsafe await withUnsafeContinuation { unsafe continuation = $0 }
  }

  /// Resumes the waiting task, if any.
  func wake() {
    guard let continuation = unsafe continuation else { return }
    unsafe self.continuation = nil
    unsafe continuation.resume()
  }
}
