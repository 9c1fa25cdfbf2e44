// EventLoop: one thread that waits with epoll and runs readiness handlers, timers, closures and
// Swift concurrency jobs. A socket, statement or request stays on one loop for its whole life, so
// the code above needs no locks. Tests run the same class without a thread, as a manual loop, and
// advance its clock themselves.

import CLinux
import Synchronization
import Time

/// Descriptors, timers, closures and async jobs of one thread, run in turns.
///
/// A turn handles ready descriptors, due timers, queued work, and finally the `endOfTurn` closures
/// (one flush per connection and turn). All methods except `execute`, `enqueue` and `stop` must be
/// called on the loop itself.
// SAFETY: `inbox` is guarded by its mutex and `wakeUp` is a descriptor that any thread may write;
// all other state is used only by the thread that runs the turns, which entry points assert.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
  /// The name of the loop's thread, as the system's tools show it (15 bytes at most).
  package let name: String

  /// The start of this turn on the monotonic clock, read once per turn; on a manual loop, the time
  /// set by `advance`.
  package private(set) var now: MonotonicInstant {
    get { MonotonicInstant(nanoseconds: turnStart.load(ordering: .relaxed)) }
    set { turnStart.store(newValue.nanoseconds, ordering: .relaxed) }
  }

  /// Atomic, because reading one costs no check of exclusive access.
  private let turnStart: Atomic<Int64>
  private let driver: Driver
  /// Whether it polls before it sleeps while single events follow each other closely.
  package let polls: Bool
  private let inbox = Mutex(Inbox())
  private var queue: [Work] = []
  private var endings: [Ending] = []
  /// Empty; keeps the capacity of the endings of the last turn.
  private var spareEndings: [Ending] = []
  private var timers = TimerHeap()
  private var deregistered: [Registration] = []
  private let thread = Atomic<pthread_t>(0)
  private var isStopping = false

  /// Work for the end of a turn. A closure that is itself an element of an array, or an optional,
  /// is wrapped in another one, which costs an allocation.
  private struct Ending {
    let run: () -> Void
  }

  private enum Driver {
    case epoll(Epoll)
    case manual
  }

  // SAFETY: jobs may run on any thread, and closures from other threads are `sending` parameters.
  private enum Work: @unchecked Sendable {
    case job(UnownedJob)
    case closure(() -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var isWakeUpPending = false
    var isStopRequested = false

    /// Whether the caller must wake the loop: true once per drain of the inbox.
    mutating func requestWakeUp() -> Bool {
      defer { isWakeUpPending = true }
      return !isWakeUpPending
    }
  }

  private init(name: String, driver: Driver, polls: Bool, now: MonotonicInstant) {
    self.name = name
    self.driver = driver
    self.polls = polls
    turnStart = Atomic(now.nanoseconds)
  }

  /// Starts a loop on its own thread. One that `polls` shortens the answers to requests that arrive
  /// one after the other, at the cost of processor time (`BusyPolling`).
  ///
  /// - Throws: `SystemError` when the system refuses another descriptor or thread.
  package static func start(
    name: String, polls: Bool = false
  ) throws(SystemError) -> EventLoop {
    let loop = EventLoop(
      name: name, driver: .epoll(try Epoll()), polls: polls, now: MonotonicClock.now)
    try startThread(named: name) { loop.runTurns() }
    return loop
  }

  /// A loop without a thread: work runs only in `runUntilIdle` and `advance`, and `isCurrent` is
  /// true for every caller. For tests.
  package static func manual(now: MonotonicInstant = .zero) -> EventLoop {
    EventLoop(name: "manual", driver: .manual, polls: false, now: now)
  }

  /// Whether the caller runs on this loop.
  package var isCurrent: Bool {
    guard case .epoll = driver else { return true }
    return thread.load(ordering: .relaxed) == pthread_self()
  }

  /// Stops the program when the caller is not on this loop: a programming error that no input can
  /// cause.
  package func assertCurrent() {
    precondition(isCurrent, "this must be called on the event loop it belongs to")
  }

  /// Ends the thread after the work already queued. Descriptors are not closed.
  package func stop() {
    let mustWake = inbox.withLock { inbox in
      inbox.isStopRequested = true
      return inbox.requestWakeUp()
    }
    if mustWake { wakeUp() }
  }

  /// Runs `work` on the loop, after work queued earlier. From any thread.
  package func execute(_ work: sending @escaping () -> Void) {
    submit(.closure(work))
  }

  /// Queues an async job, as the executor of tasks that prefer this loop. From any thread.
  package func enqueue(_ job: consuming ExecutorJob) {
    submit(.job(UnownedJob(job)))
  }

  private func submit(_ work: Work) {
    if isCurrent {
      queue.append(work)
      return
    }
    let mustWake = inbox.withLock { inbox in
      inbox.work.append(work)
      return inbox.requestWakeUp()
    }
    if mustWake { wakeUp() }
  }

  private func wakeUp() {
    if case .epoll(let epoll) = driver { epoll.wakeUp() }
  }

  /// Runs `work` once at the end of this turn, after all events and jobs; used to flush output.
  package func endOfTurn(_ work: @escaping () -> Void) {
    assertCurrent()
    // Moved out, so that the compiler proves exclusive access.
    var moved: [Ending] = []
    swap(&moved, &endings)
    moved.append(Ending(run: work))
    swap(&moved, &endings)
  }

  /// Runs `work` once after `delay`, unless the timer is cancelled first.
  @discardableResult
  package func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
    assertCurrent()
    let timer = LoopTimer(deadline: now + max(.zero, delay), work: work)
    timers.insert(timer)
    return timer
  }

  /// Registers `descriptor`, edge-triggered for these conditions and hang-up, until the
  /// registration is cancelled. The handler must read or write until the system returns `EAGAIN`.
  /// Conditions that hold already are reported in the next turn.
  ///
  /// - Throws: `SystemError` when epoll refuses the descriptor.
  package func register(
    _ descriptor: Int32, for conditions: Readiness = [.readable, .writable],
    _ handler: any ReadinessHandler
  ) throws(SystemError) -> Registration {
    assertCurrent()
    let registration = Registration(
      descriptor: descriptor, conditions: conditions, handler: handler, loop: self)
    if case .epoll(let epoll) = driver { try epoll.add(registration) }
    return registration
  }

  func modify(_ registration: Registration) throws(SystemError) {
    assertCurrent()
    if case .epoll(let epoll) = driver { try epoll.modify(registration) }
  }

  func deregister(_ registration: Registration) {
    assertCurrent()
    if case .epoll(let epoll) = driver { epoll.remove(registration) }
    // Events of the current turn may still point to it.
    deregistered.append(registration)
  }
}

// MARK: - Turns

extension EventLoop {
  private static let workPerTurnMax = 4096

  private func runTurns() {
    thread.store(pthread_self(), ordering: .relaxed)
    guard case .epoll(let epoll) = driver else { return }
    var polling = BusyPolling()
    while !isStopping || !queue.isEmpty {
      epoll.wait(
        atMost: pollTimeout, isPolling: polls && polling.isWorthwhile,
        woken: { count in
          now = MonotonicClock.now
          polling.note(events: count, at: now)
        },
        { registration, readiness in registration.handler?.ready(readiness) })
      finishTurn()
    }
  }

  private var pollTimeout: Duration? {
    if !queue.isEmpty || !endings.isEmpty || isStopping { return .zero }
    guard let deadline = timers.nextDeadline else { return nil }
    return max(.zero, deadline - MonotonicClock.now)
  }

  private func finishTurn() {
    // Timers that these closures set without delay wait for the next turn, so that a chain of them
    // cannot starve the sockets.
    let place = timers.nextPlace
    while let timer = timers.popDue(at: now, setBefore: place) { timer.fire() }
    takeInbox()
    runQueue()
    var due: [Ending] = []
    swap(&due, &spareEndings)
    swap(&due, &endings)
    for ending in due { ending.run() }
    due.removeAll(keepingCapacity: true)
    swap(&due, &spareEndings)
    deregistered.removeAll(keepingCapacity: true)
  }

  private func takeInbox() {
    inbox.withLock { inbox in
      inbox.isWakeUpPending = false
      if inbox.isStopRequested { isStopping = true }
      queue.append(contentsOf: inbox.work)
      inbox.work.removeAll(keepingCapacity: true)
    }
  }

  /// Runs queued work, and the work it queues, up to a limit per turn so that sockets are not
  /// starved.
  private func runQueue() {
    var index = 0
    while index < queue.count, index < Self.workPerTurnMax {
      switch queue[index] {
      // SAFETY: `self` is alive while its own method runs, so the unowned reference is valid.
      case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .closure(let work): work()
      }
      index += 1
    }
    queue.removeFirst(index)
  }
}

// MARK: - Manual loops

extension EventLoop {
  /// Runs turns until nothing is queued and no timer is due. Manual loops only.
  package func runUntilIdle() {
    repeat {
      finishTurn()
    } while !queue.isEmpty || !endings.isEmpty || isInboxFilled || isTimerDue
  }

  /// Advances the clock and fires due timers in order, each at its own deadline. Manual loops only.
  package func advance(by duration: Duration) {
    let target = now + duration
    while let deadline = timers.nextDeadline, deadline <= target {
      now = max(now, deadline)
      runUntilIdle()
    }
    now = target
    runUntilIdle()
  }

  private var isTimerDue: Bool {
    timers.nextDeadline.map { $0 <= now } ?? false
  }

  private var isInboxFilled: Bool {
    inbox.withLock { !$0.work.isEmpty }
  }
}
