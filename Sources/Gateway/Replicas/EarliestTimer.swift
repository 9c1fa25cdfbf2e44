import EventLoop
import Time

/// One timer for the deadlines of many requests. Confined to its loop.
package final class EarliestTimer {
  private let loop: EventLoop
  private var pending: (due: MonotonicInstant, timer: LoopTimer)?

  /// A timer without a deadline.
  package init(on loop: EventLoop) { self.loop = loop }

  /// Calls `action` at this deadline, unless it is called at an earlier one. The action adds the
  /// next deadline.
  package func add(_ due: MonotonicInstant, _ action: @escaping () -> Void) {
    if let pending {
      guard due < pending.due else { return }
      pending.timer.cancel()
    }
    let timer = loop.schedule(after: due - loop.now) { [self] in
      pending = nil
      action()
    }
    pending = (due, timer)
  }

  /// Removes the deadline.
  package func cancel() {
    pending?.timer.cancel()
    pending = nil
  }
}
