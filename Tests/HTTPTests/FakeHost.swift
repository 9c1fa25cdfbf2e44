import EventLoop
import HTTP

/// A connection without a socket that records the engine's output and calls.
final class FakeHost: ServerEngineHost {
  let loop = EventLoop.manual()
  let peer = PeerAddress.unix
  var isSecure = false
  var limits = Shared(HTTPLimits())
  var timeouts = Shared(HTTPTimeouts())
  var output: [UInt8] = []
  var isCongested = false
  /// The bytes of output beyond which it becomes congested.
  var congestsAbove = Int.max
  let date: [UInt8] = []
  var phases: [ConnectionPhase] = []
  var closedLingering: Bool?
  var isAborted = false
  var isFlooded = false
  var isReading = true
  var handlers: [ScriptedHandler] = []
  var script: (ScriptedHandler) -> Void = { _ in }
  /// Delivers the input that has arrived without an event.
  var unreadInput: () -> Void = {}

  var outputCount: Int { output.count }
  var text: String { String(decoding: output, as: UTF8.self) }

  func write(_ append: (inout [UInt8]) -> Void) {
    append(&output)
    if output.count > congestsAbove { isCongested = true }
  }
  func planFlush() {}
  func close(lingering: Bool) { closedLingering = lingering }
  func flooded() { isFlooded = true }
  func abort() { isAborted = true }
  func enter(_ phase: ConnectionPhase) { phases.append(phase) }
  func bodyProgressed(_ bytes: Int) {}
  func readInput() { unreadInput() }
  func setReading(_ isReading: Bool) { self.isReading = isReading }

  func makeHandler() -> any RequestHandler {
    let handler = ScriptedHandler()
    script(handler)
    handlers.append(handler)
    return handler
  }
}

/// A handler that records its events and performs the test's script.
final class ScriptedHandler: RequestHandler {
  var stream: (any ServerStream)?
  var head: RequestHead?
  var body: [UInt8] = []
  var isComplete = false
  var abortReason: StreamAbort?
  var drainCount = 0
  var onHead: (ScriptedHandler) -> Void = { _ in }
  var onBody: (ScriptedHandler) -> Void = { _ in }
  var onEnd: (ScriptedHandler) -> Void = { _ in }

  func received(head: RequestHead, on stream: any ServerStream) {
    self.head = head
    self.stream = stream
    onHead(self)
  }
  func received(body: Span<UInt8>) {
    self.body.append(copying: body)
    onBody(self)
  }
  func receivedEnd() {
    isComplete = true
    onEnd(self)
  }
  func aborted(_ reason: StreamAbort) { abortReason = reason }
  func drained() { drainCount += 1 }

  func answer(_ text: String, _ status: HTTPStatus = .ok) {
    let bytes = Array(text.utf8)
    stream?.send(
      head: ResponseHead(status, contentLength: UInt64(bytes.count)), body: bytes.span)
  }
}
