import CLinux
import EventLoop

/// Receives the events of a connection, for a pool; all calls are on the connection's loop.
package protocol ClientConnectionDelegate: AnyObject {
  /// The connection is established.
  func opened(_ connection: ClientConnection)
  /// `room` has grown, or is 0 because the peer refuses further requests.
  func roomChanged(_ connection: ClientConnection)
  /// The connection is closed; all its requests have been notified.
  func closed(_ connection: ClientConnection)
}

/// A connection to a server that carries requests, on one loop.
///
/// Requests may be sent immediately, even before it is established. It retains itself until it is
/// closed.
package final class ClientConnection: ClientEngineHost, SocketChannelOwner {
  /// The state of the connection.
  package enum State: Sendable, Hashable {
    case connecting
    case open
    /// Requests in progress are completed; new ones are refused.
    case draining
    case closed
  }

  /// The server's address, the connection's loop, and its state.
  package let address: SocketAddress
  package let loop: EventLoop
  package var state: State { progress }
  /// Not visible to other modules: the compiler then proves exclusive access, instead of checking
  /// it.
  private var progress = State.connecting
  /// Whether the connection was established at some time.
  package private(set) var wasOpen = false
  private let settings: HTTPClientSettings
  /// Strong, as `HTTP2Session.owner`; released at the end of the connection.
  private var delegate: (any ClientConnectionDelegate)?
  private var channel: SocketChannel?
  private var engine: (any ClientEngine)?
  private var timer: LoopTimer?
  /// Why requests fail if the connection ends now; once it is closed, why it has ended.
  package private(set) var lossCause = StreamFailure.Cause.connectionLost

  /// Starts to connect. A failure is reported to the requests and the delegate, never by this
  /// initialiser.
  package init(
    to address: SocketAddress, on loop: EventLoop,
    settings: HTTPClientSettings = HTTPClientSettings(),
    delegate: (any ClientConnectionDelegate)? = nil
  ) {
    self.address = address
    self.loop = loop
    self.settings = settings
    self.delegate = delegate
    lossCause = .connectFailed
    do {
      engine = makeEngine()
      try connect()
    } catch {
      progress = .closed
      loop.endOfTurn { [self] in finish() }
    }
  }

  private var isAccepting: Bool {
    switch progress {
    case .connecting, .open: true
    case .draining, .closed: false
    }
  }

  // MARK: Requests

  /// The number of further requests that can be sent now without waiting.
  package var room: Int {
    switch progress {
    case .connecting, .open: engine?.room ?? 0
    case .draining, .closed: 0
    }
  }

  /// Whether the server has sent GOAWAY: requests in progress are completed, and the next ones need
  /// another connection.
  package var isPeerGoingAway: Bool { engine?.isPeerGoingAway ?? false }

  /// The number of requests in progress.
  package var streamCount: Int { engine?.streamCount ?? 0 }

  /// Sends a request; with `endStream` it has no body, otherwise the body follows on the stream.
  ///
  /// The handler is called only after this returns, even if the connection has already failed.
  package func send(
    _ head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    guard let engine = acceptingEngine else { return refuse(handler) }
    return engine.send(head, endStream: endStream, handler: handler)
  }

  /// Sends a request whose head is prepared, as the method above does.
  package func send(
    _ request: borrowing PreparedRequest, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    guard let engine = acceptingEngine else { return refuse(handler) }
    return engine.send(request, endStream: endStream, handler: handler)
  }

  /// The engine if it accepts a request now, whose time-out is checked from now on.
  private var acceptingEngine: (any ClientEngine)? {
    loop.assertCurrent()
    guard let engine, isAccepting else { return nil }
    armTimer()
    return engine
  }

  private func refuse(_ handler: any ResponseHandler) -> any ClientStream {
    let cause = wasOpen ? StreamFailure.Cause.connectionLost : lossCause
    loop.endOfTurn { handler.failed(StreamFailure(cause, .unprocessed)) }
    return ClosedClientStream()
  }

  /// Refuses new requests and closes when those in progress have ended.
  package func shutDown() {
    guard progress == .connecting || progress == .open else { return }
    progress = .draining
    lossCause = .stopping
    engine?.shutDown()
  }

  /// Closes immediately; requests in progress fail.
  package func abort() { abort(.stopping) }

  // MARK: For the engine

  var limits: HTTPLimits { settings.limits }
  var timeouts: HTTPTimeouts { settings.timeouts }
  var outputCount: Int { channel?.outputCount ?? 0 }
  var isCongested: Bool { channel?.isCongested ?? false }

  func write(_ append: (inout [UInt8]) -> Void) { channel?.write(append) }

  func planFlush() { channel?.planFlush() }

  func close() {
    if progress != .closed { progress = .draining }
    channel?.close(lingering: nil)
  }

  func abort(_ cause: StreamFailure.Cause) {
    lossCause = cause
    channel?.abort()
  }

  func setReading(_ isReading: Bool) { channel?.setReading(isReading) }

  func roomChanged() { delegate?.roomChanged(self) }

  // MARK: From the channel

  func channelConnected() {
    if lossCause == .connectFailed { lossCause = .handshakeFailed }
  }

  func channelOpened(_ applicationProtocol: ApplicationProtocol?) {
    if isSecure, settings.version == .http2, applicationProtocol != .http2 {
      return abort(.handshakeFailed)
    }
    wasOpen = true
    lossCause = .connectionLost
    if progress == .connecting { progress = .open }
    planFlush()
    delegate?.opened(self)
  }

  func channelWillFlush() { engine?.willFlush() }

  func channelFlushed() {}

  func channelReceived(_ bytes: Span<UInt8>) { engine?.receive(bytes) }

  func channelInputEnded() { engine?.inputEnded() }

  func channelDrained() { engine?.outputDrained() }

  func channelProgressed() {}

  func channelClosed(isClean: Bool) {
    progress = .closed
    channel = nil
    finish()
  }

  private func finish() {
    timer?.cancel()
    timer = nil
    let engine = engine
    self.engine = nil
    engine?.connectionLost(lossCause)
    let delegate = delegate
    self.delegate = nil
    delegate?.closed(self)
  }

  // MARK: Connecting

  private func makeEngine() -> any ClientEngine {
    switch settings.version {
    case .http1: HTTP1ClientEngine(host: self)
    case .http2: HTTP2ClientEngine(host: self, settings: settings.http2)
    }
  }

  private var isSecure: Bool { settings.currentTLS != nil }

  private func connect() throws {
    let tls = try settings.currentTLS.map {
      try TLSSession(context: $0, serverName: settings.serverName)
    }
    let descriptor = try SocketCalls.makeSocket(address.family)
    if case .tcp = address { SocketCalls.disableDelay(descriptor) }
    let isConnecting: Bool
    do {
      isConnecting = try Connecting.begin(descriptor, to: address)
    } catch {
      _ = CLinux.close(descriptor)
      throw error
    }
    let channel = SocketChannel(
      descriptor: descriptor, isConnecting: isConnecting, tls: tls, loop: loop,
      readBuffer: ReadBuffer(), limits: settings.limits, owner: self)
    self.channel = channel
    armTimer()
    // Opened at the end of the turn, when the owner has stored this connection.
    loop.endOfTurn {
      do throws(SystemError) {
        try channel.start()
      } catch {
        // The channel has reported its own end.
      }
    }
    loop.schedule(after: settings.timeouts.connect) { [weak self] in
      guard let self, !wasOpen, progress != .closed else { return }
      abort(.connectTimedOut)
    }
  }

  /// Checks the requests' time-outs while any are in progress.
  private func armTimer() {
    guard timer == nil, progress != .closed else { return }
    let interval = min(.seconds(1), settings.timeouts.response / 8)
    timer = loop.schedule(after: interval) { [self] in
      timer = nil
      engine?.inspect(at: loop.now)
      if streamCount > 0 { armTimer() }
    }
  }
}

/// The stream of a request that never had a connection.
private final class ClosedClientStream: ClientStream {
  let bufferedBytes = 0
  let isCongested = false
  func send(body: Span<UInt8>, endStream: Bool) {}
  func cancel() {}
  func pauseBody() {}
  func holdBody() {}
  func widen(to bytes: Int) {}
  func resumeBody() {}
}

/// Starts non-blocking connection attempts.
private enum Connecting {
  /// Returns whether the attempt is still in progress.
  static func begin(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) -> Bool {
    let result = try unsafe address.withSystemAddress { pointer, length in
      // SAFETY: the pointer is valid for `length` bytes during the call.
      unsafe connect(descriptor, pointer, length)
    }
    if result == 0 { return false }
    let code = linux_errno()
    if code == EINPROGRESS { return true }
    throw SystemError(call: "connect", code: code)
  }
}
