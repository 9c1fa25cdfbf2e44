import CLinux
import Synchronization

/// Why a pool refused work.
package enum BlockingPoolError: Error, Equatable, CustomStringConvertible {
  /// The queue has reached its limit; try again later.
  case queueFull

  /// A sentence for the operator.
  package var description: String {
    "The queue for blocking work is full."
  }
}

/// A few threads for work that blocks or computes for long (password hashes, name look-ups, files),
/// so that event loops never block. The queue is bounded.
package final class BlockingPool: Sendable {
  private let queueMax: Int
  private let state = Mutex(State())
  private let available: Semaphore

  private struct State {
    /// At most `queueMax` entries. A started closure is removed, because it may hold a password.
    var waiting: [@Sendable () -> Void] = []

    mutating func takeFirst() -> (@Sendable () -> Void)? {
      waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  /// A pool of `threads` threads with a queue of at most `queueMax` closures.
  ///
  /// - Throws: `SystemError` when the system refuses a descriptor or a thread.
  package init(name: String, threads: Int, queueMax: Int) throws(SystemError) {
    self.queueMax = queueMax
    available = try Semaphore()
    for _ in 0..<threads {
      try startThread(named: name) { [self] in serve() }
    }
  }

  /// The number of queued closures.
  package var queuedCount: Int { state.withLock(\.waiting.count) }

  /// Runs `work` on one of the threads and returns its result to the calling task.
  ///
  /// - Throws: `BlockingPoolError.queueFull` immediately when the queue is full.
  package func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(BlockingPoolError) -> Result<Value, Failure> {
    let outcome: Result<Value, Failure>? = await withCheckedContinuation { continuation in
      let isQueued = submit {
        do throws(Failure) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      if !isQueued { continuation.resume(returning: nil) }
    }
    guard let outcome else { throw .queueFull }
    return outcome
  }

  /// Queues `work` for one of the threads; returns false, without queueing it, when the queue is
  /// full.
  package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isQueued = state.withLock { state in
      guard state.waiting.count < queueMax else { return false }
      state.waiting.append(work)
      return true
    }
    if isQueued { available.signal() }
    return isQueued
  }

  private func serve() {
    while true {
      available.wait()
      state.withLock { $0.takeFirst() }?()
    }
  }
}

/// The system's counting semaphore, as an eventfd in semaphore mode.
private struct Semaphore: Sendable {
  private let descriptor: Int32

  init() throws(SystemError) {
    descriptor = try SystemError.check(
      "eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_SEMAPHORE)))
  }

  func signal() {
    // SAFETY: writes eight bytes of a local value.
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  func wait() {
    // SAFETY: reads eight bytes into a local value; blocks until there is a signal.
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)
  }
}
