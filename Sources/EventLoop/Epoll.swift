import CLinux
import Time

/// The conditions that epoll reported for a descriptor.
package struct Readiness: OptionSet, Sendable {
  /// The reported conditions as bits.
  package let rawValue: UInt32

  /// A set of the given bits.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reading will not block: data, an end of stream, an error or a connection to accept.
  package static let readable = Readiness(rawValue: 1)
  /// Writing will not block.
  package static let writable = Readiness(rawValue: 2)
  /// The peer closed its sending side, or both.
  package static let hangup = Readiness(rawValue: 4)
  /// The descriptor failed; a read or write returns the error.
  package static let error = Readiness(rawValue: 8)
}

/// Receives the readiness events of a descriptor.
package protocol ReadinessHandler: AnyObject {
  /// Called on the loop, once for each change (edge-triggered).
  func ready(_ readiness: Readiness)
}

/// A descriptor registered with epoll. It retains its handler until `cancel`.
package final class Registration {
  /// The registered descriptor. The owner closes it, after `cancel`.
  package let descriptor: Int32
  fileprivate private(set) var conditions: Readiness
  fileprivate(set) var handler: (any ReadinessHandler)?
  private unowned let loop: EventLoop

  init(
    descriptor: Int32, conditions: Readiness, handler: any ReadinessHandler, loop: EventLoop
  ) {
    self.descriptor = descriptor
    self.conditions = conditions
    self.handler = handler
    self.loop = loop
  }

  /// Watches further conditions. Those that hold already are reported in the next turn.
  ///
  /// - Throws: `SystemError` when epoll refuses it.
  package func watch(_ more: Readiness) throws(SystemError) {
    guard handler != nil, !conditions.isSuperset(of: more) else { return }
    conditions.formUnion(more)
    try loop.modify(self)
  }

  /// Removes the registration. The handler is not called again, even for events of the current
  /// turn.
  package func cancel() {
    guard handler != nil else { return }
    handler = nil
    loop.deregister(self)
  }
}

/// The epoll instance of a loop and the event descriptor that wakes it.
@safe struct Epoll {
  private static let eventsPerWaitMax = 512

  private let descriptor: Int32
  private let wakeUpDescriptor: Int32
  private let events: UnsafeMutableBufferPointer<epoll_event>

  init() throws(SystemError) {
    descriptor = try SystemError.check("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
    wakeUpDescriptor = try SystemError.check(
      "eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    // SAFETY: lives as long as the loop's thread, which lasts as long as the process.
    unsafe events = .allocate(capacity: Self.eventsPerWaitMax)
    // SAFETY: `event` outlives the call; the null pointer in it denotes the wake-up descriptor.
    var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(ptr: nil))
    try SystemError.check(
      "epoll_ctl", unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeUpDescriptor, &event))
  }

  func add(_ registration: Registration) throws(SystemError) {
    // SAFETY: the reference is retained here and released by `remove`, and the loop keeps a
    // removed registration until the end of the turn whose events may point to it.
    let reference = unsafe Unmanaged.passRetained(registration)
    do throws(SystemError) {
      try control(EPOLL_CTL_ADD, registration)
    } catch {
      unsafe reference.release()
      throw error
    }
  }

  /// Applies changed conditions.
  func modify(_ registration: Registration) throws(SystemError) {
    try control(EPOLL_CTL_MOD, registration)
  }

  private func control(
    _ operation: Int32, _ registration: Registration
  ) throws(SystemError) {
    var conditions = EPOLLRDHUP.rawValue | EPOLLET.rawValue
    if registration.conditions.contains(.readable) { conditions |= EPOLLIN.rawValue }
    if registration.conditions.contains(.writable) { conditions |= EPOLLOUT.rawValue }
    // SAFETY: `add` retains the registration for epoll; `event` outlives the call.
    let reference = unsafe Unmanaged.passUnretained(registration)
    var event = unsafe epoll_event(
      events: conditions, data: epoll_data_t(ptr: reference.toOpaque()))
    try SystemError.check(
      "epoll_ctl", unsafe epoll_ctl(descriptor, operation, registration.descriptor, &event))
  }

  func remove(_ registration: Registration) {
    // SAFETY: balances the retain of `add`; the caller still holds a reference.
    epoll_ctl(descriptor, EPOLL_CTL_DEL, registration.descriptor, nil)
    unsafe Unmanaged.passUnretained(registration).release()
  }

  /// Waits for events, calls `woken` with their number, then passes each event on; `nil` waits
  /// without a time limit. Polls for events before it sleeps if `isPolling`.
  func wait(
    atMost timeout: Duration?, isPolling: Bool, woken: (Int) -> Void,
    _ body: (Registration, Readiness) -> Void
  ) {
    var count = isPolling && timeout != .zero ? poll() : 0
    if count == 0 { count = take(atMost: Self.milliseconds(timeout)) }
    woken(max(0, count))
    guard count > 0 else { return }
    for index in 0..<count {
      let event = unsafe events[index]
      guard let pointer = unsafe event.data.ptr else {
        drainWakeUps()
        continue
      }
      // SAFETY: see `add`.
      let registration = unsafe Unmanaged<Registration>.fromOpaque(pointer).takeUnretainedValue()
      body(registration, Readiness(epoll: unsafe event.events))
    }
  }

  /// Takes events from the kernel without sleeping, for `BusyPolling.nanosecondsMax` at most.
  private func poll() -> Int {
    let end = MonotonicClock.now.nanoseconds + BusyPolling.nanosecondsMax
    repeat {
      let count = take(atMost: 0)
      if count != 0 { return count }
    } while MonotonicClock.now.nanoseconds < end
    return 0
  }

  /// Takes events from the kernel and returns their number, which is negative after an error.
  private func take(atMost milliseconds: Int32) -> Int {
    // SAFETY: the buffer holds `eventsPerWaitMax` events and epoll fills the first of them.
    Int(
      unsafe epoll_wait(
        descriptor, events.baseAddress, Int32(Self.eventsPerWaitMax), milliseconds))
  }

  /// Makes the current or next `wait` return. From any thread.
  func wakeUp() {
    // SAFETY: writes eight bytes of a local value; a full counter already means a pending wake-up.
    var one: UInt64 = 1
    _ = unsafe write(wakeUpDescriptor, &one, 8)
  }

  private func drainWakeUps() {
    // SAFETY: reads eight bytes into a local value.
    var count: UInt64 = 0
    _ = unsafe read(wakeUpDescriptor, &count, 8)
  }

  /// Rounds up, so that timers never fire early and the loop does not spin just before a deadline.
  private static func milliseconds(_ timeout: Duration?) -> Int32 {
    guard let timeout else { return -1 }
    let (seconds, attoseconds) = timeout.components
    if seconds > 3600 { return 3_600_000 }
    let millisecond: Int64 = 1_000_000_000_000_000
    return Int32(seconds * 1000 + (attoseconds + millisecond - 1) / millisecond)
  }
}

extension Readiness {
  fileprivate init(epoll events: UInt32) {
    var readiness: Readiness = []
    if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.hangup) }
    if events & EPOLLERR.rawValue != 0 { readiness.insert(.error) }
    self = readiness
  }
}
