import EventLoop
import HTTP
import Testing

/// Records the response to a request, and checks the order of calls.
final class AnswerRecord: ResponseHandler {
  var head: ResponseHead?
  var body: [UInt8] = []
  var bodyCount = 0
  var keepsBody = true
  var isEnded = false
  var failure: StreamFailure?
  var drainedCount = 0
  var stream: HTTP2ClientStream?
  var onHead: ((AnswerRecord) -> Void)?
  var onBody: ((AnswerRecord) -> Void)?
  var onEnd: ((AnswerRecord) -> Void)?
  var onDrained: ((AnswerRecord) -> Void)?

  var isOver: Bool { isEnded || failure != nil }

  func received(head: consuming ResponseHead) {
    #expect(self.head == nil && !isOver)
    self.head = head
    onHead?(self)
  }

  func received(body: Span<UInt8>) {
    #expect(head != nil && !isOver)
    bodyCount += body.count
    if keepsBody { self.body.append(copying: body) }
    onBody?(self)
  }

  func receivedEnd() {
    #expect(head != nil && !isOver)
    isEnded = true
    onEnd?(self)
  }

  func failed(_ failure: StreamFailure) {
    #expect(!isOver)
    self.failure = failure
  }

  func drained() {
    #expect(!isOver)
    drainedCount += 1
    onDrained?(self)
  }
}

/// Records the events of a client's session.
final class ClientSessionRecord: HTTP2ClientSessionDelegate {
  var roomChanges = 0
  var outputs = 0

  func outputAppeared() { outputs += 1 }
  func roomChanged() { roomChanges += 1 }
}

extension HTTP2ClientSession {
  /// Sends a request without a body.
  func get(
    _ target: String = "/", _ fields: [(String, String)] = [], method: HTTPMethod = .get
  ) -> AnswerRecord {
    var head = RequestHead(method, target, authority: "example.org")
    for (name, value) in fields { head.fields.append(name, value) }
    let record = AnswerRecord()
    record.stream = send(head, endStream: true, handler: record)
    return record
  }

  /// Begins a POST whose body the caller sends.
  func post(contentLength: UInt64? = nil, _ record: AnswerRecord = AnswerRecord()) -> AnswerRecord {
    var head = RequestHead(.post, "/upload", authority: "example.org")
    head.contentLength = contentLength
    head.hasBody = true
    record.stream = send(head, endStream: false, handler: record)
    return record
  }

  /// All output.
  func pull() -> [UInt8] {
    var output: [UInt8] = []
    while hasOutput {
      let count = output.count
      pullOutput(into: &output)
      reportEvents()
      if output.count == count { break }
    }
    return output
  }
}

/// Our client and libnghttp2's server, connected in memory.
final class HTTP2ClientPair {
  let loop = EventLoop.manual()
  let client: HTTP2ClientSession
  let server: HTTP2Session
  let clientRecord = ClientSessionRecord()
  let serverRecord = SessionRecord()
  private var toServer: [UInt8] = []
  private var toClient: [UInt8] = []

  init(
    client clientSettings: HTTP2Settings = .internal,
    server serverSettings: HTTP2Settings = .internal, timeouts: HTTPTimeouts = HTTPTimeouts(),
    bodyBytesMax: UInt64 = .max, firstStream: Int32 = 1
  ) throws {
    client = HTTP2ClientSession(
      on: loop, settings: clientSettings, timeouts: timeouts, bodyBytesMax: bodyBytesMax,
      firstStream: firstStream)
    server = try HTTP2Session(role: .server, settings: serverSettings)
    client.delegate = clientRecord
    server.delegate = serverRecord
  }

  deinit { client.connectionLost(.stopping) }

  /// Exchanges the output of both sides until none is left, without splitting it.
  func exchange() throws {
    var whole = WholeChunks()
    try exchange(using: &whole)
  }

  /// Exchanges the output of both sides until none is left, in chunks of random sizes.
  func exchange(using numbers: inout some RandomNumberGenerator) throws {
    while true {
      if client.hasOutput {
        client.pullOutput(into: &toServer, limit: Int.random(in: 1...60_000, using: &numbers))
      }
      client.reportEvents()
      server.pullOutput(into: &toClient, limit: Int.random(in: 1...60_000, using: &numbers))
      if toServer.isEmpty, toClient.isEmpty {
        loop.runUntilIdle()
        if !client.hasOutput, !server.hasOutput { return }
        continue
      }
      if !toServer.isEmpty {
        let count = Int.random(in: 1...toServer.count, using: &numbers)
        let part = Array(toServer.prefix(count))
        toServer.removeFirst(count)
        try server.receive(part.span, at: loop.now)
      }
      if !toClient.isEmpty {
        let count = Int.random(in: 1...toClient.count, using: &numbers)
        let part = Array(toClient.prefix(count))
        toClient.removeFirst(count)
        client.receive(part.span)
      }
    }
  }
}

/// A server that builds frames byte by byte, to send input that no library would.
final class FrameServer {
  typealias Frame = (kind: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])

  let loop = EventLoop.manual()
  let client: HTTP2ClientSession
  let record = ClientSessionRecord()
  private var bytes: [UInt8] = []

  init(settings: HTTP2Settings = .internal, sendsSettings: Bool = true) {
    client = HTTP2ClientSession(on: loop, settings: settings)
    client.delegate = record
    if sendsSettings { frame(.settings) }
  }

  deinit { client.connectionLost(.stopping) }

  func frame(
    _ kind: FrameClient.Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = [],
    length: Int? = nil
  ) {
    let count = length ?? payload.count
    bytes += [
      UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), kind.rawValue, flags,
    ]
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(stream >> shift & 255)) }
    bytes += payload
  }

  /// A head with these fields; the status is an entry of the static table.
  func answer(
    _ fields: [(String, String)] = [], stream: UInt32 = 1, endStream: Bool = true,
    status: UInt8 = 8
  ) {
    frame(
      .headers, flags: endStream ? 5 : 4, stream: stream,
      [0x80 | status] + FrameClient.block(fields))
  }

  /// Sends the frames built since the last call to the client; returns its output as frames.
  @discardableResult
  func deliver() -> [Frame] {
    let sent = bytes
    bytes = []
    client.receive(sent.span)
    loop.runUntilIdle()
    return pull()
  }

  /// The client's output as frames, without its preface.
  func pull() -> [Frame] {
    var output = client.pull()
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    if output.starts(with: preface) { output.removeFirst(preface.count) }
    var frames: [Frame] = []
    while output.count >= 9 {
      let count = Int(output[0]) << 16 | Int(output[1]) << 8 | Int(output[2])
      let stream = output[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append((output[3], output[4], stream, Array(output[9..<(9 + count)])))
      output.removeFirst(9 + count)
    }
    return frames
  }

  /// The code of a GOAWAY among these frames.
  static func goAway(in frames: [Frame]) -> HTTP2ErrorCode? {
    guard let payload = frames.first(where: { $0.kind == 7 })?.payload else { return nil }
    return HTTP2ErrorCode(rawValue: payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The code of a RST_STREAM of this stream among these frames.
  static func reset(of stream: UInt32 = 1, in frames: [Frame]) -> HTTP2ErrorCode? {
    guard let frame = frames.first(where: { $0.kind == 3 && $0.stream == stream }) else {
      return nil
    }
    return HTTP2ErrorCode(rawValue: frame.payload.reduce(0) { $0 << 8 | UInt32($1) })
  }
}
