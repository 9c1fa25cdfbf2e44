/// Asynchronous work with a bounded wait: the work continues when the wait times out. Confined to
/// its loop.
package final class PendingOutcome<Value: Sendable, Failure: Error> {
  private let loop: EventLoop
  private var outcome: Result<Value, Failure>?
  private var waiting: CheckedContinuation<Void, Never>?

  /// Starts `work`. On the loop.
  package init(
    on loop: EventLoop, of work: @escaping @Sendable () async throws(Failure) -> Value
  ) {
    self.loop = loop
    let bound = LoopBound(self, on: loop)
    loop.begin {
      let outcome: Result<Value, Failure>
      do throws(Failure) { outcome = .success(try await work()) } catch {
        outcome = .failure(error)
      }
      bound.value.end(outcome)
    }
  }

  /// The outcome; nil if the work has not ended within `time`. Only one task may wait at a time.
  package func value(within time: Duration) async -> Result<Value, Failure>? {
    if let outcome { return outcome }
    let timer = loop.schedule(after: time) { [self] in wake() }
    await withCheckedContinuation { waiting = $0 }
    timer.cancel()
    return outcome
  }

  private func end(_ outcome: Result<Value, Failure>) {
    self.outcome = outcome
    wake()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }
}
