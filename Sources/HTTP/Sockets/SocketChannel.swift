import CLinux
import EventLoop

/// What a socket channel tells its owner; the owner and the channel hold each other until
/// `channelClosed`, which comes once and last.
protocol SocketChannelOwner: AnyObject {
  /// The connection stands, the TLS handshake included.
  func channelOpened()
  /// Bytes came from the peer.
  func channelReceived(_ bytes: Span<UInt8>)
  /// The peer will send nothing more.
  func channelInputEnded()
  /// The output fell under the low-water mark after it had been over the high-water mark.
  func channelDrained()
  /// The kernel took some of what waited.
  func channelProgressed()
  /// The descriptor is closed. `isClean` is false for an error and for `abort`.
  func channelClosed(isClean: Bool)
}

/// A connected (or connecting) stream socket on a loop: reads until it would block, sends once at
/// the end of each turn, and stops reading when told to. It owns the descriptor.
final class SocketChannel: ReadinessHandler {
  /// Reads of one channel in one turn: a fast peer must not starve the others.
  private static let readsPerTurnMax = 16
  /// How long input is dropped after a lingering close.
  static let lingering = Duration.seconds(2)

  private enum State {
    case connecting
    case open
    /// Closes when the output is sent.
    case closing(lingering: Bool)
    /// Everything is sent; input is read and dropped until the peer closes as well.
    case lingering
    case closed
  }

  let loop: EventLoop
  private let descriptor: Int32
  private let readBuffer: ReadBuffer
  private let limits: HTTPLimits
  private var owner: (any SocketChannelOwner)?
  private var registration: Registration?
  private var state: State
  private var output = OutputBuffer()
  private var isFlushPlanned = false
  private var isReading = true
  private var isInsideRead = false
  private var mayHaveInput = false
  private var sawHangup = false
  private(set) var isCongested = false

  /// Takes the descriptor over; `start` makes it work.
  init(
    descriptor: Int32, isConnecting: Bool, loop: EventLoop, readBuffer: ReadBuffer,
    limits: HTTPLimits, owner: any SocketChannelOwner
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.readBuffer = readBuffer
    self.limits = limits
    self.owner = owner
    state = isConnecting ? .connecting : .open
  }

  /// Begins to watch the descriptor, which is closed if that fails.
  func start() throws(SystemError) {
    do throws(SystemError) {
      registration = try loop.register(descriptor, self)
    } catch {
      finish(isClean: false)
      throw error
    }
  }

  // MARK: Output

  /// Bytes that wait to be sent.
  var outputCount: Int { output.count }

  /// Whether anything can still be written.
  var isWritable: Bool {
    switch state {
    case .connecting, .open: true
    case .closing, .lingering, .closed: false
    }
  }

  /// Appends output, which goes out at the end of this turn; ignored once the channel closes.
  func write(_ append: (inout [UInt8]) -> Void) {
    guard isWritable else { return }
    append(&output.bytes)
    if output.count > limits.outputHighWater { isCongested = true }
    planFlush()
  }

  private func planFlush() {
    guard !isFlushPlanned else { return }
    isFlushPlanned = true
    loop.endOfTurn { [self] in
      isFlushPlanned = false
      flush()
    }
  }

  private func flush() {
    switch state {
    case .connecting, .lingering, .closed: return
    case .open, .closing: break
    }
    while !output.isEmpty {
      switch output.withWaiting({ SocketCalls.send($0, to: descriptor) }) {
      case .success(0): return
      case .success(let count):
        output.remove(count)
        owner?.channelProgressed()
      case .failure: return finish(isClean: false)
      }
    }
    if case .closing(let lingering) = state { return endOutput(lingering: lingering) }
    if isCongested, output.count <= limits.outputLowWater {
      isCongested = false
      owner?.channelDrained()
    }
  }

  // MARK: Input

  /// Whether to read; what the kernel holds meanwhile slows the peer down.
  func setReading(_ isReading: Bool) {
    guard isReading != self.isReading else { return }
    self.isReading = isReading
    if isReading, mayHaveInput, !isInsideRead { loop.endOfTurn { [self] in read() } }
  }

  func ready(_ events: Readiness) {
    if case .connecting = state { return finishConnecting(events) }
    if events.contains(.hangup) || events.contains(.error) { sawHangup = true }
    if events.contains(.readable) || sawHangup {
      mayHaveInput = true
      read()
    }
    if events.contains(.writable), !output.isEmpty, !isFlushPlanned { flush() }
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
        // Less than there was room for: the kernel has no more, unless the end is behind it.
        if count < ReadBuffer.size, !sawHangup { mayHaveInput = false }
        if case .open = state {
          readBuffer.withBytes(count) { owner?.channelReceived($0) }
        }
      case .wouldBlock: mayHaveInput = false
      case .end:
        mayHaveInput = false
        return inputEnded()
      case .failed: return finish(isClean: false)
      }
    }
    if mayHaveInput, wantsInput { loop.endOfTurn { [self] in read() } }
  }

  private var wantsInput: Bool {
    switch state {
    case .open: isReading
    case .closing(let lingering): lingering
    case .lingering: true
    case .connecting, .closed: false
    }
  }

  private func inputEnded() {
    switch state {
    case .open: owner?.channelInputEnded()
    case .closing: state = .closing(lingering: false)
    case .lingering: finish(isClean: true)
    case .connecting, .closed: break
    }
  }

  private func finishConnecting(_ events: Readiness) {
    let mask: Readiness = [.writable, .error, .hangup]
    guard !events.isDisjoint(with: mask) else { return }
    guard SocketCalls.pendingError(descriptor) == 0 else { return finish(isClean: false) }
    state = .open
    owner?.channelOpened()
    if !output.isEmpty { planFlush() }
    if !events.isDisjoint(with: [.readable, .hangup]) { ready(events.subtracting(.writable)) }
  }

  // MARK: Ends

  /// Sends what is left, then closes.
  func close(lingering: Bool) {
    guard isWritable else { return }
    state = .closing(lingering: lingering)
    if output.isEmpty { endOutput(lingering: lingering) } else { planFlush() }
  }

  /// Closes at once with a reset.
  func abort() {
    if case .closed = state { return }
    SocketCalls.resetOnClose(descriptor)
    finish(isClean: false)
  }

  private func endOutput(lingering: Bool) {
    guard lingering else { return finish(isClean: true) }
    state = .lingering
    _ = shutdown(descriptor, Int32(SHUT_WR))
    loop.schedule(after: Self.lingering) { [self] in finish(isClean: true) }
    mayHaveInput = true
    loop.endOfTurn { [self] in read() }
  }

  private func finish(isClean: Bool) {
    if case .closed = state { return }
    state = .closed
    registration?.cancel()
    registration = nil
    _ = CLinux.close(descriptor)
    output = OutputBuffer()
    let owner = owner
    self.owner = nil
    owner?.channelClosed(isClean: isClean)
  }
}
