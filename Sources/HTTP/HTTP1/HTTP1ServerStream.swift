import EventLoop

/// One request and its response on an HTTP/1.1 connection.
final class HTTP1ServerStream: ServerStream {
  private let engine: HTTP1ServerEngine
  private var handler: (any RequestHandler)?
  private let method: HTTPMethod
  private let connection: RequestParser.Connection
  private var owesContinue: Bool
  private var framing = HTTP1Serializer.BodyFraming.none
  private var unsent: UInt64 = 0
  private(set) var isResponseBegun = false
  private(set) var isResponseComplete = false
  private(set) var isRequestComplete = false
  private(set) var isBodyPaused = false
  private(set) var keepsAlive: Bool

  init(
    engine: HTTP1ServerEngine, handler: any RequestHandler, method: HTTPMethod,
    connection: RequestParser.Connection
  ) {
    self.engine = engine
    self.handler = handler
    self.method = method
    self.connection = connection
    owesContinue = connection.expectsContinue
    keepsAlive = connection.keepsAlive
  }

  var loop: EventLoop { engine.host.loop }
  var peer: PeerAddress { engine.host.peer }
  var isSecure: Bool { engine.host.isSecure }
  var bufferedBytes: Int { engine.host.outputCount }
  var isCongested: Bool { handler != nil && engine.host.isCongested }
  var room: Int { max(0, engine.host.limits.value.outputHighWater - engine.host.outputCount) }
  /// The connection has no other stream that could fill its buffer.
  func reserveRoom(atMost bytesMax: Int) -> Int { min(room, bytesMax) }
  func limitBuffering() {}

  private var isOver: Bool { handler == nil }

  // MARK: From the engine

  func deliver(_ bytes: Span<UInt8>) {
    guard !isResponseComplete else { return }
    handler?.received(body: bytes)
  }

  func completeRequest() {
    isRequestComplete = true
    if !isResponseComplete { handler?.receivedEnd() }
    if isResponseComplete { handler = nil }
  }

  func drained() { handler?.drained() }

  func abort(_ reason: StreamAbort) {
    let handler = handler
    self.handler = nil
    if !isResponseComplete { handler?.aborted(reason) }
  }

  func sendContinueIfWanted() {
    guard owesContinue, !isBodyPaused, !isResponseBegun, !isOver else { return }
    owesContinue = false
    engine.host.write { $0.append(literal: "HTTP/1.1 100 Continue\r\n\r\n") }
  }

  // MARK: From the handler

  func send(head: ResponseHead, endStream: Bool) {
    guard !isResponseBegun, !isOver, !head.status.isInformational else { return }
    isResponseBegun = true
    if !engine.mayContinue || (!isRequestComplete && (owesContinue || !engine.canDiscardRest)) {
      keepsAlive = false
    }
    framing = framing(of: head, endStream: endStream)
    if case .untilClose = framing { keepsAlive = false }
    let host = engine.host
    host.write { output in
      HTTP1Serializer.write(
        head, framing: framing, keepsAlive: keepsAlive, minorVersion: connection.minorVersion,
        date: host.date, into: &output)
    }
    if hidesBody {
      framing = .none
    } else if case .length(let length) = framing {
      unsent = length
    }
    if endStream { endResponse() }
  }

  func send(body: Span<UInt8>, endStream: Bool) {
    guard isResponseBegun, !isResponseComplete, !isOver else { return }
    if body.count > 0 {
      switch framing {
      case .none: break
      case .length:
        guard UInt64(body.count) <= unsent else { return reset() }
        unsent -= UInt64(body.count)
        engine.host.write { $0.append(copying: body) }
      case .chunked: engine.host.write { HTTP1Serializer.writeChunk(body, into: &$0) }
      case .untilClose: engine.host.write { $0.append(copying: body) }
      }
    }
    if endStream { endResponse() }
  }

  func reset() {
    guard !isOver, !isResponseComplete else { return }
    handler = nil
    engine.reset()
  }

  func pauseBody() {
    guard !isBodyPaused, !isRequestComplete, !isOver else { return }
    isBodyPaused = true
    engine.bodyPaused()
  }

  func resumeBody() {
    guard isBodyPaused, !isOver else { return }
    isBodyPaused = false
    sendContinueIfWanted()
    engine.resumeBody()
  }

  // MARK: Inside

  private var hidesBody: Bool { method == .head }

  private func framing(
    of head: ResponseHead, endStream: Bool
  ) -> HTTP1Serializer.BodyFraming {
    if hidesBody || head.status.code == 304 {
      return head.contentLength.map { .length($0) } ?? .none
    }
    if head.status.hasNoBody { return .none }
    if endStream { return .length(0) }
    if let length = head.contentLength { return .length(length) }
    return connection.minorVersion == 0 ? .untilClose : .chunked
  }

  private func endResponse() {
    if case .chunked = framing {
      engine.host.write { HTTP1Serializer.writeLastChunk(into: &$0) }
    }
    if case .length = framing, unsent > 0 { return reset() }
    isResponseComplete = true
    // The rest of the request is dropped, so a pause would never end.
    if isBodyPaused { resumeBody() }
    if isRequestComplete { handler = nil }
    engine.finish()
  }
}
