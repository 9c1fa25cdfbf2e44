import Domain
import EventLoop
import HTTP
import Time

/// A spectator's stream, parsed for the numbers of its frames.
final class SpectatorClient: ResponseHandler {
  /// When each frame arrived, by its number.
  private(set) var arrivals: [(number: Int64, time: MonotonicInstant)] = []
  /// The data of every frame, if they are kept.
  private(set) var texts: [[UInt8]] = []
  /// Bytes received on the stream.
  private(set) var bytes = 0
  /// Whether the stream failed to open or has ended.
  private(set) var isLost = false
  private let loop: EventLoop
  private let keepsText: Bool
  private let connection: ClientConnection
  private var line: [UInt8] = []
  private var isPicture = false

  init(_ port: UInt16, _ runID: Int64, keepsText: Bool, on loop: EventLoop) {
    self.loop = loop
    self.keepsText = keepsText
    var settings = HTTPClientSettings()
    settings.version = .http1
    settings.timeouts.response = .seconds(24 * 3600)
    connection = ClientConnection(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
    let head = RequestHead(
      .get, "/t4r/active/stream?runID=\(runID)", authority: "localhost:\(port)")
    _ = connection.send(head, endStream: true, handler: self)
  }

  func received(head: consuming ResponseHead) { isLost = head.status != .ok }

  func received(body: Span<UInt8>) {
    bytes += body.count
    var start = 0
    for index in body.indices where body[index] == UInt8(ascii: "\n") {
      line.append(copying: body.extracting(start..<index))
      read()
      line.removeAll(keepingCapacity: true)
      start = index + 1
    }
    line.append(copying: body.extracting(start..<body.count))
  }

  func receivedEnd() { isLost = true }
  func failed(_ failure: StreamFailure) { isLost = true }
  func drained() {}

  private static let picture = Array("event: positions".utf8)
  private static let id = Array("id: ".utf8)
  private static let data = Array("data: ".utf8)

  private func read() {
    if line.isEmpty {
      isPicture = false
    } else if line == Self.picture {
      isPicture = true
    } else if isPicture, line.starts(with: Self.id) {
      let text = String(decoding: line.dropFirst(Self.id.count), as: UTF8.self)
      if let number = Int64(text) { arrivals.append((number, loop.now)) }
    } else if isPicture, keepsText, line.starts(with: Self.data) {
      texts.append(Array(line.dropFirst(Self.data.count)))
    }
  }
}
