import CLinux
import EventLoop

/// A connected (or connecting) stream socket on a loop: reads until it would block, sends once at
/// the end of each turn, and pauses reading on request. It owns the descriptor.
final class SocketChannel: ReadinessHandler {
  /// Limit on reads of one channel per turn, so that a fast peer starves no others. Two are half of
  /// a window between our own processes: credit for them returns while the rest is sent.
  private static let readsPerTurnMax = 2
  /// Bytes reserved for the output of a turn before it is encrypted. That buffer returns to the
  /// loop after each turn, so that an idle connection holds none.
  private static let plaintextRoom = 2048

  /// A closure that is itself optional is wrapped in another one, which costs an allocation.
  private struct Flush { let run: () -> Void }

  private enum State {
    case connecting
    case open
    /// Closing when all output is sent, and lingering then if there are time-outs for it.
    case closing(lingering: Shared<HTTPTimeouts>?)
    /// All output is in the kernel; input is read and dropped until the peer closes too.
    case lingering
    case closed
  }

  let loop: EventLoop
  private let descriptor: Int32
  private let readBuffer: ReadBuffer
  private let outputHighWater: Int
  private let outputLowWater: Int
  private var owner: (any SocketChannelOwner)?
  private var registration: Registration?
  private var state: State
  /// Output of the owner; with TLS it is encrypted at the end of the turn.
  private var output = OutputBuffer()
  /// Ciphertext for the peer.
  private var sealed = OutputBuffer()
  /// Nil without TLS, and once all output is sent: its buffers are the largest of a connection.
  private var tls: TLSSession?
  /// The next check of a lingering close.
  private var lingeringCheck: LoopTimer?
  private var isOpened = false
  private var isFlushPlanned = false
  /// The work of `planFlush`, made once; the cycle of references is broken by `finish`.
  private var plannedFlush: Flush?
  private var isReading = true
  private var isInsideRead = false
  private var mayHaveInput = false
  private var sawHangup = false
  /// Whether input was dropped since the lingering began.
  private var hasDroppedInput = false
  private(set) var isCongested = false
  /// Bytes that the kernel has taken.
  private(set) var sentBytes: UInt64 = 0

  /// Takes ownership of the descriptor; call `start` next.
  init(
    descriptor: Int32, isConnecting: Bool, tls: TLSSession? = nil, loop: EventLoop,
    readBuffer: ReadBuffer, limits: HTTPLimits, owner: any SocketChannelOwner
  ) {
    self.descriptor = descriptor
    self.tls = tls
    self.loop = loop
    self.readBuffer = readBuffer
    outputHighWater = limits.outputHighWater
    outputLowWater = limits.outputLowWater
    self.owner = owner
    state = isConnecting ? .connecting : .open
  }

  /// Registers the descriptor with the loop; closes it on failure.
  func start() throws(SystemError) {
    // Aborted in the turn that created it: the descriptor's number may be another socket's by now.
    if case .closed = state { return }
    let isConnecting = if case .connecting = state { true } else { false }
    do throws(SystemError) {
      // Watching for writability from the start would wake the loop once for nothing.
      registration = try loop.register(
        descriptor, for: isConnecting ? [.readable, .writable] : .readable, self)
    } catch {
      finish(isClean: false)
      throw error
    }
    if case .open = state { becomeOpen() }
  }

  private func becomeOpen() {
    if let tls {
      owner?.channelConnected()
      if tls.hasOutput { planFlush() }
    } else {
      isOpened = true
      owner?.channelOpened(nil)
    }
  }

  // MARK: Output

  /// Number of bytes to send.
  var outputCount: Int { output.count + sealed.count }

  /// Bytes that the kernel has, and the peer has not acknowledged; not after `channelClosed`.
  var unacknowledgedBytes: Int { SocketCalls.unacknowledgedBytes(descriptor) }

  /// Whether output is still accepted.
  var isWritable: Bool {
    switch state {
    case .connecting, .open: true
    case .closing, .lingering, .closed: false
    }
  }

  /// Appends output, which is sent at the end of this turn; ignored once the channel is closing.
  func write(_ append: (inout [UInt8]) -> Void) {
    guard isWritable else { return }
    // Moved out, here and below: elsewhere the compiler then proves exclusive access to the buffer,
    // instead of checking it each time.
    var moved = OutputBuffer()
    swap(&moved, &output)
    if tls != nil, moved.isEmpty {
      moved.bytes = readBuffer.takeOutput(room: Self.plaintextRoom)
    }
    append(&moved.bytes)
    swap(&moved, &output)
    precondition(moved.isEmpty, "the output was written while it was being written")
    if outputCount > outputHighWater { isCongested = true }
    planFlush()
  }

  /// Schedules a flush at the end of this turn, preceded by `channelWillFlush`.
  func planFlush() {
    guard !isFlushPlanned else { return }
    isFlushPlanned = true
    if let plannedFlush { return loop.endOfTurn(plannedFlush.run) }
    let planned = Flush { [self] in flush() }
    if case .closed = state {} else { plannedFlush = planned }
    loop.endOfTurn(planned.run)
  }

  private func flush() {
    defer { owner?.channelFlushed() }
    // Output written in `channelWillFlush` is sent below, so it needs no flush of its own.
    isFlushPlanned = true
    if case .open = state { owner?.channelWillFlush() }
    isFlushPlanned = false
    switch state {
    case .connecting, .lingering, .closed: return
    case .open, .closing: break
    }
    guard seal(), sendWaiting() else { return }
    if case .closing(let lingering) = state, output.isEmpty {
      return endOutput(lingering: lingering)
    }
    if isCongested, outputCount <= outputLowWater {
      isCongested = false
      owner?.channelDrained()
    }
  }

  /// Encrypts the output of the turn; returns false if the channel had to be closed.
  private func seal() -> Bool {
    guard let tls else { return true }
    if tls.isHandshakeComplete, !output.isEmpty {
      var moved = OutputBuffer()
      swap(&moved, &output)
      do throws(TLSError) {
        try tls.send(moved.bytes.span)
      } catch {
        finish(isClean: false)
        return false
      }
      var sent: [UInt8] = []
      swap(&sent, &moved.bytes)
      readBuffer.putBackOutput(consume sent)
    }
    if case .closing = state, output.isEmpty { tls.close() }
    if tls.hasOutput {
      var moved = OutputBuffer()
      swap(&moved, &sealed)
      tls.pullOutput(into: &moved.bytes)
      swap(&moved, &sealed)
    }
    return true
  }

  /// Sends until all output is sent (true) or the kernel accepts no more (false).
  private func sendWaiting() -> Bool {
    while true {
      guard tls == nil ? !output.isEmpty : !sealed.isEmpty else { return true }
      var moved = OutputBuffer()
      if tls == nil { swap(&moved, &output) } else { swap(&moved, &sealed) }
      let result = moved.withWaiting { SocketCalls.send($0, to: descriptor) }
      if case .success(let count) = result {
        moved.remove(count)
        sentBytes &+= UInt64(count)
      }
      if tls == nil { swap(&moved, &output) } else { swap(&moved, &sealed) }
      switch result {
      case .success(0):
        watchWritable()
        return false
      case .success: owner?.channelProgressed()
      case .failure:
        finish(isClean: false)
        return false
      }
    }
  }

  /// Asks to be called when the kernel accepts output again.
  private func watchWritable() {
    do throws(SystemError) {
      try registration?.watch(.writable)
    } catch {
      finish(isClean: false)
    }
  }

  // MARK: Input

  /// Starts or pauses reading; while paused, full kernel buffers slow the peer down.
  func setReading(_ isReading: Bool) {
    guard isReading != self.isReading else { return }
    self.isReading = isReading
    if isReading, mayHaveInput, !isInsideRead { loop.endOfTurn { [self] in read() } }
  }

  /// Reads what the kernel has by now, without an event: before a close that input would prevent.
  func readInput() {
    guard case .open = state else { return }
    mayHaveInput = true
    read()
  }

  func ready(_ events: Readiness) {
    if case .connecting = state { return finishConnecting(events) }
    if events.contains(.hangup) || events.contains(.error) { sawHangup = true }
    if events.contains(.readable) || sawHangup {
      mayHaveInput = true
      read()
    }
    if events.contains(.writable), outputCount > 0, !isFlushPlanned { flush() }
    if events.contains(.error), case .open = state { finish(isClean: false) }
  }

  private func read() {
    guard !isInsideRead else { return }
    isInsideRead = true
    defer { isInsideRead = false }
    for _ in 0..<Self.readsPerTurnMax {
      guard mayHaveInput, wantsInput else { return }
      switch readBuffer.read(from: descriptor) {
      case .bytes(let count):
        // A short read: the kernel has no more input, except possibly the end of the stream.
        if count < ReadBuffer.size, !sawHangup { mayHaveInput = false }
        if case .open = state { readBuffer.withBytes(count) { received($0) } }
        if case .lingering = state { hasDroppedInput = true }
      case .wouldBlock: mayHaveInput = false
      case .end:
        mayHaveInput = false
        return streamEnded()
      case .failed: return finish(isClean: false)
      }
    }
    if mayHaveInput, wantsInput { loop.endOfTurn { [self] in read() } }
  }

  private func received(_ bytes: Span<UInt8>) {
    guard let tls else {
      owner?.channelReceived(bytes)
      return
    }
    var plaintext = readBuffer.takePlaintext()
    defer { readBuffer.putBack(plaintext) }
    do throws(TLSError) {
      try tls.receive(bytes, appendingTo: &plaintext)
    } catch {
      // The TLS alert reports the reason; it is sent only if the kernel accepts it immediately.
      if seal() { _ = sendWaiting() }
      return finish(isClean: false)
    }
    if tls.hasOutput { planFlush() }
    if tls.isHandshakeComplete, !isOpened {
      isOpened = true
      if !output.isEmpty { planFlush() }
      owner?.channelOpened(tls.applicationProtocol)
    }
    if !plaintext.isEmpty { owner?.channelReceived(plaintext.span) }
    if tls.isPeerClosed { inputEnded() }
  }

  private var wantsInput: Bool {
    switch state {
    case .open: isReading
    case .closing(let lingering): lingering != nil
    case .lingering: true
    case .connecting, .closed: false
    }
  }

  /// The stream ended; with TLS this is a valid end only after a close_notify.
  private func streamEnded() {
    if let tls, case .open = state {
      guard tls.isPeerClosed else { return finish(isClean: false) }
      return
    }
    inputEnded()
  }

  private func inputEnded() {
    switch state {
    case .open: owner?.channelInputEnded()
    case .closing: state = .closing(lingering: nil)
    case .lingering: finish(isClean: true)
    case .connecting, .closed: break
    }
  }

  private func finishConnecting(_ events: Readiness) {
    let mask: Readiness = [.writable, .error, .hangup]
    guard !events.isDisjoint(with: mask) else { return }
    guard SocketCalls.pendingError(descriptor) == 0 else { return finish(isClean: false) }
    state = .open
    becomeOpen()
    if outputCount > 0 { planFlush() }
    if !events.isDisjoint(with: [.readable, .hangup]) { ready(events.subtracting(.writable)) }
  }

  // MARK: Ends

  /// Sends the remaining output, then closes. With time-outs it drops input until the peer closes
  /// too: input at a closed socket causes a reset, which destroys what the peer has not read.
  func close(lingering: Shared<HTTPTimeouts>?) {
    guard isWritable else { return }
    let isConnected = if case .open = state { isOpened } else { false }
    // Nothing can be sent before the connection is established.
    guard isConnected else { return finish(isClean: false) }
    state = .closing(lingering: lingering)
    planFlush()
  }

  /// Closes immediately with a reset.
  func abort() {
    if case .closed = state { return }
    SocketCalls.resetOnClose(descriptor)
    finish(isClean: false)
  }

  private func endOutput(lingering: Shared<HTTPTimeouts>?) {
    guard let lingering else { return finish(isClean: true) }
    state = .lingering
    tls = nil
    _ = shutdown(descriptor, Int32(SHUT_WR))
    linger(LingeringClose(lingering.value, unacknowledged: unacknowledgedBytes, at: loop.now))
    if mayHaveInput { loop.endOfTurn { [self] in read() } }
  }

  private func linger(_ close: LingeringClose) {
    lingeringCheck = loop.schedule(after: LingeringClose.interval) { [self] in
      var close = close
      switch close.check(unacknowledgedBytes, hasSent: hasDroppedInput, at: loop.now) {
      case .waiting: linger(close)
      case .received: finish(isClean: true)
      case .stalled: abort()
      }
    }
  }

  private func finish(isClean: Bool) {
    if case .closed = state { return }
    state = .closed
    registration?.cancel()
    registration = nil
    _ = CLinux.close(descriptor)
    lingeringCheck?.cancel()
    lingeringCheck = nil
    tls = nil
    output = OutputBuffer()
    sealed = OutputBuffer()
    plannedFlush = nil
    let owner = owner
    self.owner = nil
    owner?.channelClosed(isClean: isClean)
  }
}
