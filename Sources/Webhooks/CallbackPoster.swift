// SAFETY of the whole file: only the poster's own thread uses the multi handle. Other threads only
// call `curl_multi_wakeup`, which any thread may call (curl_multi_wakeup(3)). The handle is freed
// after the last of these calls.
import CCurl
import EventLoop
import Operations
import Synchronization

/// Calls third parties and the operator's tile server through libcurl. One dedicated thread runs
/// all calls of a process concurrently.
///
/// It follows no redirects, verifies certificates, and reads at most 64 KiB of an answer, or as
/// much as the settings permit. Every connection is checked against the allowed addresses after DNS
/// resolution. A connection is reused for calls to the same scheme, host and port for one minute.
@safe package final class CallbackPoster: Sendable {
  /// The most calls in progress at the same time.
  package static let callsMax = 512
  /// The usual maximum of bytes kept of an answer, and the most bytes of its head.
  package static let answerBytesMax = 64 << 10

  /// The settings of an operator.
  package struct Settings: Sendable {
    /// The addresses that calls may connect to.
    package let addresses: CallbackAddresses
    /// A file of certificate authorities to trust instead of the system's.
    package let authoritiesPath: String?
    /// The connect timeout.
    package var connectMilliseconds = 5_000
    /// The timeout of a whole call (Standard Webhooks 1.0.0).
    package var callMilliseconds = 15_000
    /// How long an idle connection is kept.
    package var idleSeconds = 30
    /// The maximum age of a connection, which bounds how long a DNS change is ignored.
    package var connectionSeconds = 60
    /// The most idle connections to keep, besides those in use.
    package var restingMax = 256
    /// The most bytes kept of an answer.
    package var answerBytesMax = CallbackPoster.answerBytesMax

    /// Settings for these addresses, with the default timeouts.
    package init(addresses: CallbackAddresses, authoritiesPath: String? = nil) {
      self.addresses = addresses
      self.authoritiesPath = authoritiesPath
    }
  }

  /// Identifies a call in progress.
  package struct Ticket: Sendable, Hashable {
    fileprivate let number: UInt64
  }

  private struct Waiting: Sendable {
    let ticket: Ticket
    let call: CallbackCall
    let done: CheckedContinuation<CallbackOutcome, Never>
  }

  private struct State {
    var waiting: [Waiting] = []
    var cancelled: Set<Ticket> = []
    var lastTicket: UInt64 = 0
    var count = 0
    var isStopped = false
  }

  private let settings: Settings
  private let names: @Sendable () -> [String]
  private let state = Mutex(State())
  private let multi: Multi
  private let thread: BlockingPool

  /// A poster with these settings. `names` returns DNS overrides for each call, as
  /// `host:port:address`; tests change it to simulate a change of the DNS zone.
  ///
  /// - Throws: `SystemError` when the system refuses the thread or memory.
  package init(
    _ settings: Settings, names: @escaping @Sendable () -> [String] = { [] }
  ) throws(SystemError) {
    self.settings = settings
    self.names = names
    multi = try Multi(restingMax: settings.restingMax)
    thread = try BlockingPool(name: "callbacks", threads: 1, queueMax: 1)
    _ = thread.submit { [self] in serve() }
  }

  /// Creates the identifier of a call.
  package func ticket() -> Ticket {
    state.withLock { state in
      state.lastTicket += 1
      return Ticket(number: state.lastTicket)
    }
  }

  /// Makes a call. Fails as `stopped` after `stop` or `cancel`, or if too many calls are in
  /// progress.
  package func post(_ call: CallbackCall, as ticket: Ticket? = nil) async -> CallbackOutcome {
    let ticket = ticket ?? self.ticket()
    return await withCheckedContinuation { continuation in
      let isTaken = state.withLock { state in
        guard !state.isStopped, state.count < Self.callsMax else { return false }
        state.count += 1
        state.waiting.append(Waiting(ticket: ticket, call: call, done: continuation))
        return true
      }
      if isTaken {
        multi.wake()
      } else {
        continuation.resume(returning: .failed(.stopped))
      }
    }
  }

  /// Cancels a call in progress: its connection is closed before `post` returns. Callable from any
  /// thread after `post` was called.
  package func cancel(_ ticket: Ticket) {
    state.withLock { _ = $0.cancelled.insert(ticket) }
    multi.wake()
  }

  /// Cancels the calls in progress and accepts no further ones. Callable from any thread.
  package func stop() {
    state.withLock { $0.isStopped = true }
    multi.wake()
  }

  private func serve() {
    var transfers: [UInt: (CallbackTransfer, Waiting)] = [:]
    while true {
      let (waiting, cancelled, isStopped) = state.withLock { state in
        defer {
          state.waiting = []
          state.cancelled = []
        }
        return (state.waiting, state.cancelled, state.isStopped)
      }
      for one in waiting { begin(one, &transfers, isStopped) }
      if !cancelled.isEmpty { cancel(cancelled, &transfers) }
      if isStopped {
        for (transfer, one) in transfers.values {
          multi.remove(transfer)
          end(one, .failed(.stopped))
        }
        return
      }
      multi.perform { key, code in
        guard let (transfer, one) = transfers.removeValue(forKey: key) else { return }
        multi.remove(transfer)
        end(one, transfer.outcome(code))
      }
    }
  }

  private func begin(
    _ one: Waiting, _ transfers: inout [UInt: (CallbackTransfer, Waiting)],
    _ isStopped: Bool
  ) {
    guard !isStopped, let transfer = CallbackTransfer(one.call, settings, names: names()),
      multi.add(transfer)
    else { return end(one, .failed(.stopped)) }
    transfers[transfer.key] = (transfer, one)
  }

  private func cancel(
    _ tickets: Set<Ticket>, _ transfers: inout [UInt: (CallbackTransfer, Waiting)]
  ) {
    for (key, (transfer, one)) in transfers where tickets.contains(one.ticket) {
      transfers[key] = nil
      multi.remove(transfer)
      end(one, .failed(.stopped))
    }
  }

  private func end(_ one: Waiting, _ outcome: CallbackOutcome) {
    state.withLock { $0.count -= 1 }
    one.done.resume(returning: outcome)
  }
}

/// libcurl's multi handle.
// SAFETY: only the poster's own thread calls the methods, except `wake`, which any thread may
// call.
@safe private final class Multi: @unchecked Sendable {
  private let handle: OpaquePointer

  init(restingMax: Int) throws(SystemError) {
    guard let handle = unsafe curl_multi_init() else {
      throw SystemError(call: "curl_multi_init", code: 12)
    }
    unsafe self.handle = OpaquePointer(handle)
    guard unsafe ccurl_set_resting_max(handle, restingMax) == CURLM_OK else {
      throw SystemError(call: "curl_multi_setopt", code: 22)
    }
  }

  deinit { unsafe curl_multi_cleanup(UnsafeMutableRawPointer(handle)) }

  func wake() { unsafe curl_multi_wakeup(UnsafeMutableRawPointer(handle)) }

  func add(_ transfer: CallbackTransfer) -> Bool {
    unsafe curl_multi_add_handle(UnsafeMutableRawPointer(handle), transfer.pointer) == CURLM_OK
  }

  func remove(_ transfer: CallbackTransfer) {
    unsafe curl_multi_remove_handle(UnsafeMutableRawPointer(handle), transfer.pointer)
  }

  /// Runs the transfers that are ready, reports those that ended, then waits for a socket, a timer
  /// or a wake-up.
  func perform(_ ended: (UInt, CURLcode) -> Void) {
    var running: Int32 = 0
    let multi = unsafe UnsafeMutableRawPointer(handle)
    unsafe curl_multi_perform(multi, &running)
    var code = CURLE_OK
    var hasEnded = false
    while let pointer = unsafe ccurl_next_ended(multi, &code) {
      hasEnded = true
      ended(UInt(bitPattern: pointer), code)
    }
    if !hasEnded { unsafe curl_multi_poll(multi, nil, 0, 1_000, nil) }
  }
}
