extension EventLoop {
  /// Suspends the task for `duration` of the loop's clock. On the loop only.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  package func wait(for duration: Duration) async throws(CancellationError) {
    let timer = LoopBound(Pause(), on: self)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        timer.value.begin(continuation, after: duration, on: self)
      }
    } onCancel: {
      execute { timer.value.end() }
    }
    if Task.isCancelled { throw CancellationError() }
  }

  /// Suspends the task until the next turn, so that the loop serves sockets and timers between two
  /// pieces of long work; after `Task.yield` the task continues in the same turn. On the loop only.
  package func nextTurn() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      _ = schedule(after: .zero) { continuation.resume() }
    }
  }
}

private final class Pause {
  private var continuation: CheckedContinuation<Void, Never>?
  private var timer: LoopTimer?
  private var isEnded = false

  func begin(
    _ continuation: CheckedContinuation<Void, Never>, after duration: Duration, on loop: EventLoop
  ) {
    guard !isEnded else { return continuation.resume() }
    self.continuation = continuation
    timer = loop.schedule(after: duration) { [self] in end() }
  }

  func end() {
    isEnded = true
    timer?.cancel()
    continuation?.resume()
    continuation = nil
  }
}
