// SAFETY of the whole file: the multi handle is touched by the poster's one thread; others only
// call `curl_multi_wakeup`, which may be called from any (curl_multi_wakeup(3)). It is freed after
// the last of them.
import CCurl
import EventLoop
import Operations
import Synchronization

/// Posts to third parties through libcurl, all calls of a process on one thread of its own, none of
/// which waits for another.
///
/// Redirects are not followed, certificates are checked, an answer is read up to 64 KiB. Each
/// connection is let out only to an address that may be reached, whatever the DNS says, and serves
/// the next calls to the same scheme, host and port for a minute.
@safe package final class CallbackPoster: Sendable {
  /// Calls under way at the same time.
  package static let callsMax = 512
  /// What is kept of an answer, and how long its head may be, in bytes.
  package static let answerBytesMax = 64 << 10

  /// What an operator may choose.
  package struct Settings: Sendable {
    /// Where calls may go.
    package let addresses: CallbackAddresses
    /// A file of certificate authorities to trust in place of the system's.
    package let authoritiesPath: String?
    /// How long connecting may take.
    package var connectMilliseconds = 5_000
    /// How long a call may take in all (Standard Webhooks 1.0.0).
    package var callMilliseconds = 15_000
    /// How long a connection may rest between two calls.
    package var idleSeconds = 30
    /// How long a connection may be used: a change of the DNS is followed after that.
    package var connectionSeconds = 60
    /// Connections that are kept, beside those in use, at most.
    package var restingMax = 256

    /// Calls to these addresses, with the times above.
    package init(addresses: CallbackAddresses, authoritiesPath: String? = nil) {
      self.addresses = addresses
      self.authoritiesPath = authoritiesPath
    }
  }

  /// What a call under way is known by.
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

  /// A poster of these settings; `names` tells for each call what names lead to in place of the
  /// DNS, as `host:port:address`: tests change it as somebody changes a zone.
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

  /// A name for one call to be made.
  package func ticket() -> Ticket {
    state.withLock { state in
      state.lastTicket += 1
      return Ticket(number: state.lastTicket)
    }
  }

  /// Makes a call; after `stop` or `cancel`, or with too many under way, it has failed as
  /// `stopped`.
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

  /// Ends a call under way: its connection is closed before `post` returns. From any thread, after
  /// `post` was called.
  package func cancel(_ ticket: Ticket) {
    state.withLock { _ = $0.cancelled.insert(ticket) }
    multi.wake()
  }

  /// Ends the calls under way and takes no more. From any thread.
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

/// libcurl's set of transfers.
// SAFETY: all but `wake`, which any thread may call, is called by the poster's one thread.
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

  /// Does what can be done, reports what has ended, and waits for a socket, a time or a wake-up.
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
