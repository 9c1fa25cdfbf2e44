import EventLoop
import HTTP
import Operations

/// The header of a frame, and where its payload begins.
private struct WireFrame {
  var type: UInt8
  var flags: UInt8
  var stream: UInt32
  var length: Int
  var start: Int

  /// Whether RFC 9113 demands an error of the connection for the frame, in any state.
  var isViolation: Bool {
    if length > 16_384 { return true }
    switch type {
    case 0, 1: return stream == 0
    case 3: return stream == 0 || length != 4
    case 4, 7: return stream != 0
    case 6: return stream != 0 || length != 8
    case 8: return length != 4
    default: return false
    }
  }
}

/// The frames whose header is complete, and the end of the last one, which may be missing.
private func wireFrames(of bytes: [UInt8]) -> (frames: [WireFrame], end: Int) {
  var frames: [WireFrame] = []
  var offset = 0
  while bytes.count - offset >= 9 {
    let length = bytes[offset..<(offset + 3)].reduce(0) { $0 << 8 | Int($1) }
    let stream = bytes[(offset + 5)..<(offset + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    frames.append(
      WireFrame(
        type: bytes[offset + 3], flags: bytes[offset + 4], stream: stream & 0x7FFF_FFFF,
        length: length, start: offset + 9))
    offset += 9 + length
  }
  return (frames, offset)
}

/// A connection in memory, which records the requests and the output of its engine.
private final class FramesHost: ServerEngineHost {
  let loop = EventLoop.manual()
  let peer = PeerAddress.unix
  let isSecure = true
  let limits: Shared<HTTPLimits>
  let timeouts = Shared(HTTPTimeouts())
  let isCongested = false
  let date: [UInt8] = []
  let settings: HTTP2Settings
  /// Handlers that exist.
  var handlerCount = 0
  /// Each request's head, with its body once it is complete.
  private(set) var requests: [String] = []
  private(set) var output: [UInt8] = []
  private(set) var isClosed = false
  private(set) var isFlooded = false
  var isFlushPlanned = false

  init(_ settings: HTTP2Settings) {
    self.settings = settings
    var limits = HTTPLimits()
    limits.bodyBytesMax = 1000
    self.limits = Shared(limits)
  }

  var outputCount: Int { 0 }
  func write(_ append: (inout [UInt8]) -> Void) { append(&output) }
  func planFlush() { isFlushPlanned = true }
  func close(lingering: Bool) {
    precondition(!isClosed, "closed twice")
    isClosed = true
  }
  func flooded() { isFlooded = true }
  func abort() { preconditionFailure("HTTP/2 closes with GOAWAY") }
  func enter(_ phase: ConnectionPhase) {}
  func bodyProgressed(_ bytes: Int) {}
  func readInput() {}
  func setReading(_ isReading: Bool) {}

  func makeHandler() -> any RequestHandler {
    handlerCount += 1
    precondition(handlerCount <= Int(settings.streamsMax), "more streams than allowed")
    return FramesHandler(self)
  }

  /// Records a head, and returns its number.
  func begin(_ head: RequestHead) -> Int {
    precondition(!isClosed, "a request after the end of the connection")
    precondition(head.target.count <= settings.targetBytesMax, "a long target")
    precondition(head.fields.count <= settings.fieldsMax, "many fields")
    precondition(head.target.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a target with spaces")
    var text = "\(head.method.text) \(String(decoding: head.target, as: UTF8.self))"
    text += " \(head.hasBody) \(head.contentLength.map { "\($0)" } ?? "-")"
    text += " \(head.trace?.trace.description ?? "-")"
    head.fields.forEach { _, name, value in
      for index in value.indices {
        let isLineEnd = value[index] == 0x0A || value[index] == 0x0D
        precondition(!isLineEnd && value[index] != 0, "a value with a line end")
      }
      text += " \(String(copying: name))=\(String(copying: value))"
    }
    requests.append(text)
    return requests.count - 1
  }

  /// Records the body of a request.
  func end(_ number: Int, count: Int, sum: UInt64) { requests[number] += " end \(count) \(sum)" }
}

/// Handles a request as the last byte of its target says, and checks the order of its events.
private final class FramesHandler: RequestHandler {
  private enum Behaviour: UInt8 {
    case answer, answerAtEnd, reset, pause, answerLong, resetAtBody, pauseAndAnswer, wait
  }

  private let host: FramesHost
  private var stream: (any ServerStream)?
  private var behaviour = Behaviour.wait
  private var number = 0
  private var count = 0
  private var sum: UInt64 = 0
  private var isPaused = false
  private var isComplete = false
  private var isAnswered = false
  private var isReset = false
  private var isAborted = false

  init(_ host: FramesHost) { self.host = host }

  deinit { host.handlerCount -= 1 }

  func received(head: RequestHead, on stream: any ServerStream) {
    precondition(self.stream == nil && !isAborted, "a second head")
    self.stream = stream
    number = host.begin(head)
    behaviour = Behaviour(rawValue: (head.target.last ?? 0) % 8) ?? .wait
    switch behaviour {
    case .answer: answer(3, on: stream)
    case .reset: reset(stream)
    case .pause:
      isPaused = true
      stream.pauseBody()
      stream.loop.endOfTurn { [weak self] in
        self?.isPaused = false
        stream.resumeBody()
      }
    case .answerLong: answer(40_000, on: stream)
    case .pauseAndAnswer:
      isPaused = true
      stream.pauseBody()
      answer(3, on: stream)
    case .answerAtEnd, .resetAtBody, .wait: break
    }
  }

  func received(body: Span<UInt8>) {
    checkOpen()
    precondition(body.count > 0, "an empty part")
    count += body.count
    for index in body.indices { sum = sum &* 31 &+ UInt64(body[index]) }
    if behaviour == .resetAtBody, let stream { reset(stream) }
  }

  func receivedEnd() {
    checkOpen()
    isComplete = true
    host.end(number, count: count, sum: sum)
    if behaviour != .wait, let stream { answer(count, on: stream) }
  }

  func aborted(_ reason: StreamAbort) {
    precondition(!isReset && !isAborted, "aborted after the end")
    isAborted = true
  }

  func drained() { precondition(!isReset && !isAborted, "drained after the end") }

  private func checkOpen() {
    precondition(stream != nil && !host.isClosed, "an event outside a request")
    precondition(!isReset && !isAborted, "an event after a reset")
    precondition(!isAnswered && !isComplete, "an event after the end")
    precondition(!isPaused, "an event while paused")
  }

  private func answer(_ bytes: Int, on stream: any ServerStream) {
    isAnswered = true
    let body = [UInt8](repeating: 97, count: bytes)
    stream.send(head: ResponseHead(.ok, contentLength: UInt64(bytes)), body: body.span)
  }

  private func reset(_ stream: any ServerStream) {
    isReset = true
    stream.reset()
  }
}

/// The server's side of one connection.
private struct FramesServer {
  /// The preface of a client, and its empty settings.
  private static let opening =
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

  let host: FramesHost
  let engine: HTTP2ServerEngine

  init(_ settings: HTTP2Settings) throws(HTTP2Error) {
    host = FramesHost(settings)
    engine = try HTTP2ServerEngine(host: host, settings: settings)
    let opening = Self.opening
    engine.receive(opening.span)
  }

  /// Ends turns of the loop until no output is planned.
  func finishTurn() {
    repeat {
      host.isFlushPlanned = false
      host.loop.runUntilIdle()
      engine.willFlush()
    } while host.isFlushPlanned
    precondition(engine.waitingBytes <= host.settings.waitingBytesMax, "too many waiting bytes")
  }

  /// The connection is lost. Every handler is released then.
  func end() {
    engine.connectionLost(.peerClosed)
    // Timers that refer to the engine expire.
    host.loop.advance(by: .seconds(60))
    precondition(host.handlerCount == 0, "a handler is left")
  }
}

/// Limits that small inputs reach; `isStrict` also reduces those of the flood guard.
private func frameSettings(isStrict: Bool) -> HTTP2Settings {
  var settings = HTTP2Settings.public
  settings.streamsMax = 8
  settings.headBytesMax = 2048
  settings.targetBytesMax = 256
  settings.fieldsMax = 20
  settings.waitingBytesHighWater = 32 * 1024
  settings.waitingBytesMax = 100 * 1024
  settings.headsPerTurnMax = 4
  guard isStrict else { return settings }
  settings.flood.resetsBurst = 3
  settings.flood.idleFramesBurst = 12
  settings.flood.unpackedBytesFree = 64
  settings.flood.unpackedBytesBurst = 1024
  return settings
}

/// Sends the input in pieces of at most 61 bytes, and output after each.
private func serveFrames(
  _ input: [UInt8], size: Int, _ settings: HTTP2Settings
) throws(HTTP2Error) {
  let server = try FramesServer(settings)
  let host = server.host
  server.finishTurn()
  var size = size % 61 + 1
  var rest = input[...]
  while !rest.isEmpty, !host.isClosed {
    let piece = Array(rest.prefix(size))
    server.engine.receive(piece.span)
    server.finishTurn()
    rest = rest.dropFirst(size)
    size = size * 3 % 61 + 1
  }
  checkOutput(of: host, input)
  server.end()
}

/// Checks that the output consists of frames, that no frame follows the end of its stream, and that
/// the connection ends for a violation or a flood only.
private func checkOutput(of host: FramesHost, _ input: [UInt8]) {
  let (frames, end) = wireFrames(of: host.output)
  precondition(end == host.output.count, "the output ends within a frame")
  precondition(frames.first?.type == 4, "the output begins without settings")
  var ended: Set<UInt32> = []
  var isCutOff = false
  for frame in frames {
    precondition(frame.length <= 16_384, "a long frame")
    switch frame.type {
    case 0, 1:
      precondition(!ended.contains(frame.stream) && !isCutOff, "a frame after the end")
      if frame.flags & 1 == 1 { ended.insert(frame.stream) }
    case 3: ended.insert(frame.stream)
    case 7:
      let code = host.output[(frame.start + 4)..<(frame.start + 8)]
      if code.contains(where: { $0 != 0 }) { isCutOff = true }
    default: break
    }
  }
  let received = wireFrames(of: input).frames
  let isLeft = received.contains { $0.type == 7 }
  precondition(host.isClosed || !isCutOff, "open after GOAWAY")
  precondition(!host.isClosed || isCutOff || isLeft, "closed without GOAWAY")
  guard !host.isClosed else { return }
  for frame in received where frame.start + frame.length <= input.count {
    precondition(!frame.isViolation, "a violation is ignored")
  }
  let flood = host.settings.flood
  let resets = received.count(where: { $0.type == 3 })
  let idle = received.count(where: { $0.type > 1 && $0.type != 3 })
  let data = frames.count(where: { $0.type == 0 })
  precondition(Double(resets) <= flood.resetsBurst, "a flood of resets")
  let earned = flood.idleFramesPerDataFrame * Double(data)
  precondition(Double(idle) <= flood.idleFramesBurst + earned, "a flood of idle frames")
}

/// The requests of an input in pieces of this size, without output in between: what a server sends
/// decides which later frames are late. Nil if the client exceeds a limit of the flood guard, which
/// rejects whole reads.
private func readFrames(
  _ input: [UInt8], size: Int, _ settings: HTTP2Settings
) throws(HTTP2Error) -> [String]? {
  var settings = settings
  settings.headsPerTurnMax = .max
  let server = try FramesServer(settings)
  var rest = input[...]
  while !rest.isEmpty {
    let piece = Array(rest.prefix(size))
    server.engine.receive(piece.span)
    rest = rest.dropFirst(size)
  }
  server.finishTurn()
  server.end()
  return server.host.isFlooded ? nil : server.host.requests
}

/// Any bytes as the frames of a client: a handler gets no event after an end, the connection is
/// closed by GOAWAY for violations and floods, limits of streams and memory hold, nothing is left
/// behind, and the division into reads does not change the requests.
///
/// The first byte selects the limits of floods, the second one the sizes of reads.
package func fuzzClientFrames(_ bytes: [UInt8]) {
  guard bytes.count > 2 else { return }
  let settings = frameSettings(isStrict: bytes[0] & 1 == 1)
  let size = Int(bytes[1])
  let input = Array(bytes.dropFirst(2))
  do throws(HTTP2Error) {
    try serveFrames(input, size: size, settings)
    let whole = try readFrames(input, size: input.count, settings)
    let divided = try readFrames(input, size: size % 29 + 1, settings)
    guard let whole, let divided else { return }
    precondition(whole == divided, "the division into reads matters")
  } catch {
    preconditionFailure("no session: \(error)")
  }
}
