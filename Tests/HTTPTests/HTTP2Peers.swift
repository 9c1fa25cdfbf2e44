import HTTP
import Testing
import Time

/// Records the events of a stream.
final class StreamRecord: HTTP2StreamHandler {
  var requestHead: RequestHead?
  var head: ResponseHead?
  var body: [UInt8] = []
  var bodyCount = 0
  var keepsBody = true
  var trailers: HTTPFields?
  var isEnded = false
  var drainedCount = 0
  var closures: [HTTP2Closure] = []
  var onHead: ((HTTP2Stream) -> Void)?
  var onBody: ((HTTP2Stream) -> Void)?
  var onEnd: ((HTTP2Stream) -> Void)?
  var onDrained: ((HTTP2Stream) -> Void)?

  func received(_ head: ResponseHead, on stream: HTTP2Stream) {
    #expect(self.head == nil)
    self.head = head
    onHead?(stream)
  }

  func received(body: Span<UInt8>, on stream: HTTP2Stream) {
    #expect(!isEnded && closures.isEmpty)
    bodyCount += body.count
    if keepsBody { self.body.append(copying: body) }
    onBody?(stream)
  }

  func receivedEnd(trailers: HTTPFields?, on stream: HTTP2Stream) {
    #expect(!isEnded && closures.isEmpty)
    isEnded = true
    self.trailers = trailers
    onEnd?(stream)
  }

  func drained(_ stream: HTTP2Stream) {
    drainedCount += 1
    onDrained?(stream)
  }

  func closed(_ closure: HTTP2Closure, on stream: HTTP2Stream) { closures.append(closure) }
}

/// Records the events of a session; on a server, `answer` responds to requests.
final class SessionRecord: HTTP2SessionDelegate {
  var heads: [RequestHead] = []
  var refusals: [HTTPStatus] = []
  var goAways: [HTTP2ErrorCode] = []
  var pongs: [UInt64] = []
  var settingsCount = 0
  var records: [StreamRecord] = []
  var streams: [HTTP2Stream] = []
  var answer: (RequestHead, HTTP2Stream, StreamRecord) -> Void = { _, stream, _ in
    stream.send(ResponseHead(.ok), endStream: true)
  }

  func received(_ head: RequestHead, on stream: HTTP2Stream) {
    let record = StreamRecord()
    record.requestHead = head
    heads.append(head)
    records.append(record)
    streams.append(stream)
    stream.handler = record
    answer(head, stream, record)
  }

  func refused(_ status: HTTPStatus, on stream: HTTP2Stream) {
    refusals.append(status)
    stream.send(ResponseHead(status, contentLength: 0), endStream: true)
  }

  func receivedGoAway(_ code: HTTP2ErrorCode, lastStream: Int32) { goAways.append(code) }
  func receivedPong(_ payload: UInt64) { pongs.append(payload) }
  func receivedSettings() { settingsCount += 1 }
}

/// A client and a server connected in memory.
final class HTTP2Pair {
  let client: HTTP2Session
  let server: HTTP2Session
  let clientRecord = SessionRecord()
  let serverRecord = SessionRecord()
  private var toServer: [UInt8] = []
  private var toClient: [UInt8] = []
  var now = MonotonicInstant.zero
  var serverBytes = 0
  var clientBytes = 0

  init(
    client clientSettings: HTTP2Settings = .public, server serverSettings: HTTP2Settings = .public
  ) throws {
    client = try HTTP2Session(role: .client, settings: clientSettings)
    server = try HTTP2Session(role: .server, settings: serverSettings)
    client.delegate = clientRecord
    server.delegate = serverRecord
  }

  /// Exchanges the output of both sides until none is left, without splitting it.
  func exchange() throws {
    var whole = WholeChunks()
    try exchange(using: &whole)
  }

  /// Exchanges the output of both sides until none is left, in chunks of random sizes.
  func exchange(using numbers: inout some RandomNumberGenerator) throws {
    while true {
      client.pullOutput(into: &toServer, limit: Int.random(in: 1...60_000, using: &numbers))
      server.pullOutput(into: &toClient, limit: Int.random(in: 1...60_000, using: &numbers))
      if toServer.isEmpty, toClient.isEmpty { return }
      clientBytes += try move(&toServer, to: server, using: &numbers)
      serverBytes += try move(&toClient, to: client, using: &numbers)
    }
  }

  private func move(
    _ bytes: inout [UInt8], to session: HTTP2Session,
    using numbers: inout some RandomNumberGenerator
  ) throws -> Int {
    guard !bytes.isEmpty else { return 0 }
    let count = Int.random(in: 1...bytes.count, using: &numbers)
    try session.receive(bytes.span.extracting(..<count), at: now)
    bytes.removeFirst(count)
    return count
  }

  func get(_ target: String = "/", _ fields: [(String, String)] = []) throws -> StreamRecord {
    var head = RequestHead(.get, target, authority: "example.org")
    for (name, value) in fields { head.fields.append(name, value) }
    let record = StreamRecord()
    _ = try client.send(head, endStream: true, handler: record)
    return record
  }

  /// Begins a POST whose body the caller sends.
  func post(_ record: StreamRecord, contentLength: UInt64? = nil) throws -> HTTP2Stream {
    var head = RequestHead(.post, "/upload", authority: "example.org")
    head.contentLength = contentLength
    head.hasBody = true
    return try client.send(head, endStream: false, handler: record)
  }
}

/// Always returns the largest number, so that chunks are not split.
struct WholeChunks: RandomNumberGenerator {
  mutating func next() -> UInt64 { .max }
}

/// A client that builds frames byte by byte, to send input that no library would.
final class FrameClient {
  let server: HTTP2Session
  let record = SessionRecord()
  var now = MonotonicInstant.zero
  private var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  init(_ settings: HTTP2Settings = .public) throws {
    server = try HTTP2Session(role: .server, settings: settings)
    server.delegate = record
    frame(.settings)
  }

  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate
    case continuation
    case unknown = 0xBB
  }

  func frame(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
    let count = payload.count
    bytes += [
      UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), kind.rawValue, flags,
    ]
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(stream >> shift & 255)) }
    bytes += payload
  }

  /// Literal field lines without indexing and without Huffman (RFC 7541, section 6.2.2).
  static func block(_ lines: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in lines {
      block.append(0)
      block += length(name.utf8.count)
      block += Array(name.utf8)
      block += length(value.utf8.count)
      block += Array(value.utf8)
    }
    return block
  }

  private static func length(_ count: Int) -> [UInt8] {
    if count < 127 { return [UInt8(count)] }
    var bytes: [UInt8] = [127]
    var rest = count - 127
    while rest >= 128 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static let requestLines = [
    (":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "example.org"),
  ]

  func request(
    _ lines: [(String, String)] = FrameClient.requestLines, stream: UInt32 = 1,
    endStream: Bool = true
  ) {
    frame(.headers, flags: endStream ? 5 : 4, stream: stream, FrameClient.block(lines))
  }

  /// Sends the frames built since the last call to the server; returns its response as frames.
  @discardableResult
  func deliver() throws -> [(kind: UInt8, stream: UInt32, payload: [UInt8])] {
    let sent = bytes
    bytes = []
    try server.receive(sent.span, at: now)
    return pull()
  }

  /// Returns the frames built since the last call, for a server other than its own.
  func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// The bytes of a client that sends requests on many streams, without windows for the responses.
  static func asking(_ target: String, streams: Int) throws -> [UInt8] {
    let client = try FrameClient()
    client.frame(.settings, [0, 4, 0, 0, 0, 0])
    var lines = requestLines
    lines[2].1 = target
    for number in 0..<UInt32(streams) { client.request(lines, stream: 2 * number + 1) }
    return client.takeBytes()
  }

  func pull() -> [(kind: UInt8, stream: UInt32, payload: [UInt8])] {
    var output: [UInt8] = []
    while server.pullOutput(into: &output) {}
    var frames: [(kind: UInt8, stream: UInt32, payload: [UInt8])] = []
    while output.count >= 9 {
      let count = Int(output[0]) << 16 | Int(output[1]) << 8 | Int(output[2])
      let stream = output[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append((output[3], stream, Array(output[9..<(9 + count)])))
      output.removeFirst(9 + count)
    }
    return frames
  }

  func deliver(raw: [UInt8]) throws {
    bytes += raw
    try deliver()
  }
}
