import EventLoop
import HTTP
import JSON

/// The phone's alarm stream. After an interruption it resumes after the last received event. On one
/// loop.
final class PhoneStream {
  private static let pause = Duration.seconds(1)

  private let head: RequestHead
  private let address: SocketAddress
  private let settings: HTTPClientSettings
  private let loop: EventLoop
  private let heard: (PhoneAlarm) -> Void
  private var last: String?
  private var stream: (any ClientStream)?
  private var isOver = false

  init(
    _ head: RequestHead, to address: SocketAddress, _ settings: HTTPClientSettings,
    on loop: EventLoop, _ heard: @escaping (PhoneAlarm) -> Void
  ) {
    (self.head, self.address, self.settings) = (head, address, settings)
    (self.loop, self.heard) = (loop, heard)
  }

  /// Connects.
  func start() {
    guard !isOver else { return }
    var head = head
    if let last { head.fields.append("last-event-id", last) }
    let connection = ClientConnection(to: address, on: loop, settings: settings)
    stream = connection.send(head, endStream: true, handler: EventLines(self))
  }

  /// Stops reconnecting.
  func stop() {
    isOver = true
    stream?.cancel()
  }

  fileprivate func ended() {
    guard !isOver else { return }
    _ = loop.schedule(after: Self.pause) { [self] in start() }
  }

  fileprivate func took(_ name: String, _ id: String?, _ data: String) {
    last = id ?? last
    guard name == "alarm" else { return }
    do throws(JSONError) {
      var reader = JSONReader(Array(data.utf8))
      heard(try reader.object(with: "data", PhoneAlarm.self))
    } catch {
      // An alarm that can't be parsed is of a kind unknown to this phone.
    }
  }
}

/// Parses the events of one connection.
private final class EventLines: ResponseHandler {
  private let stream: PhoneStream
  private var line: [UInt8] = []
  private var fields: [Substring: String] = [:]
  private var isStream = false

  init(_ stream: PhoneStream) { self.stream = stream }

  func received(head: consuming ResponseHead) { isStream = head.status == .ok }

  func received(body: Span<UInt8>) {
    guard isStream else { return }
    for index in body.indices {
      if body[index] == UInt8(ascii: "\n") {
        read(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      } else {
        line.append(body[index])
      }
    }
  }

  private func read(_ line: String) {
    if line.isEmpty {
      if let name = fields["event"] { stream.took(name, fields["id"], fields["data"] ?? "") }
      fields = [:]
    } else if let colon = line.firstIndex(of: ":"), colon != line.startIndex {
      fields[line[..<colon]] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }

  func receivedEnd() { stream.ended() }
  func failed(_ failure: StreamFailure) { stream.ended() }
  func drained() {}
}
