import Cryptography
import EventLoop
import HTTP
import JSON
import Operations
import PublicAPI
import ServiceKit
import Web

/// A stream of server-sent events from another service of the product, each a JSON value, over its
/// own connection. For its loop.
///
/// Events are buffered until the receiver takes them; a slow receiver pauses the sender.
package final class InternalStream<Event: JSONReadable> {
  /// The number of buffered values from which the sender is paused.
  package static var waitingMax: Int { 4_000 }
  /// The maximum size in bytes of one event.
  private static var lineBytesMax: Int { 4 << 20 }

  private let loop: EventLoop
  private let lines: Lines
  private let connection: ClientConnection
  private var stream: (any ClientStream)?

  /// Opens the stream of a target, with this identifier in the log of the other service.
  package init(
    _ target: String, of address: SocketAddress, over link: InnerLink = .plain,
    secret: InternalSecret, following work: RequestID, on loop: EventLoop
  ) {
    self.loop = loop
    var settings = HTTPClientSettings()
    settings.timeouts.connect = .seconds(1)
    settings.timeouts.response = .seconds(5)
    settings.timeouts.bodyIdle = EventWriter.heartbeat * 2
    link.secure(&settings, to: address)
    connection = ClientConnection(to: address, on: loop, settings: settings)
    lines = Lines()
    var head = RequestHead(.get, target, authority: "internal")
    secret.withHeaderValue { head.fields.append(.internalSecret, copying: $0) }
    head.fields.append(.requestID, work.description)
    stream = connection.send(head, endStream: true, handler: lines)
    lines.pause = { [weak self] in self?.stream?.pauseBody() }
  }

  /// Waits for events, at most for `time`, and removes them from the buffer; nil once the stream
  /// has ended and the buffer is empty.
  package func next(within time: Duration) async -> [Event]? {
    loop.assertCurrent()
    if lines.waiting.isEmpty, !lines.isOver {
      let timer = loop.schedule(after: time) { [lines] in lines.wake() }
      await withCheckedContinuation { lines.taker = $0 }
      timer.cancel()
    }
    let events = lines.take()
    stream?.resumeBody()
    return events.isEmpty && lines.isOver ? nil : events
  }

  /// Ends the wait for events early. On the loop.
  package func wake() { lines.wake() }

  /// Ends the stream. On the loop.
  package func close() {
    stream?.cancel()
    stream = nil
    connection.abort()
    lines.end()
  }

  /// The response, line by line.
  private final class Lines: ResponseHandler {
    private(set) var waiting: [Event] = []
    private(set) var isOver = false
    var taker: CheckedContinuation<Void, Never>?
    var pause: () -> Void = {}
    private var line: [UInt8] = []

    func take() -> [Event] {
      let events = waiting
      waiting = []
      return events
    }

    func wake() {
      taker?.resume()
      taker = nil
    }

    func end() {
      isOver = true
      wake()
    }

    func received(head: consuming ResponseHead) {
      if head.status != .ok { end() }
    }

    func received(body: Span<UInt8>) {
      guard !isOver else { return }
      var start = 0
      for end in body.indices where body[end] == UInt8(ascii: "\n") {
        line.append(copying: body.extracting(start..<end))
        start = end + 1
        read()
        line.removeAll(keepingCapacity: true)
        // Reading on would skip the event that can't be read.
        if isOver { return }
      }
      line.append(copying: body.extracting(start..<body.count))
      if line.count > InternalStream.lineBytesMax { end() }
      if waiting.count > InternalStream.waitingMax { pause() }
      if !waiting.isEmpty { wake() }
    }

    func receivedEnd() { end() }
    func failed(_ failure: StreamFailure) { end() }
    func drained() {}

    /// An event is one line of data, which includes the content of its name and number.
    private func read() {
      guard line.starts(with: eventData) else { return }
      do throws(JSONError) {
        waiting.append(
          try JSONReader.read(Event.self, from: Array(line.dropFirst(eventData.count))))
      } catch {
        end()
      }
    }
  }
}

/// The prefix of an event's data on its line.
private let eventData = Array("data: ".utf8)
