import EventLoop
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// A client of an event stream that reconnects after every interruption, from the last complete
/// event.
final class EventReader: Sendable {
  /// An event with its arrival time and connection.
  struct Event: Sendable {
    let number: Int
    let name: String
    let data: JSONValue
    let connection: Int
    /// When that connection was requested.
    let connectedAt: Double
    let time: Double
  }

  private struct State {
    var events: [Event] = []
    var connection = 0
    var connectedAt = 0.0
    var isOver = false
    var begun = 0
    var stream: (any ClientStream)?
  }

  private let state: LoopBound<Holder>
  private let loop: EventLoop
  private let shown = Mutex<(events: [Event], begun: Int, ended: Int, broken: Int)>(([], 0, 0, 0))
  private let latestStatus = Mutex<UInt16?>(nil)

  private final class Holder {
    var value = State()
  }

  private let port: UInt16
  private let path: String
  private let token: String?

  private let after: Int
  private let again: Duration

  /// Follows a stream after a number; a public stream needs no token. Reconnects after the pause
  /// `again`.
  init(
    _ path: String, _ token: String?, of system: TestSystem, after: Int = 0,
    again: Duration = .milliseconds(50)
  ) throws {
    loop = try clientLoop.get()
    (self.path, self.token, port, self.after) = (path, token, system.httpPort, after)
    self.again = again
    state = LoopBound(Holder(), on: loop)
    loop.execute { [self] in connect() }
  }

  /// The events received so far.
  var events: [Event] { shown.withLock { $0.events } }
  /// How many streams were opened.
  var begun: Int { shown.withLock { $0.begun } }

  /// Waits until a stream is open; an error names the status of the latest response.
  func untilOpen() async throws {
    do { try await eventually("the stream") { begun > 0 } } catch {
      let status = latestStatus.withLock { $0.map { "\($0)" } ?? "none" }
      throw FixtureProblem("\(error); the latest status: \(status)")
    }
  }

  /// How many streams ended, properly or not.
  var ended: Int { shown.withLock { $0.ended } }
  /// How many streams ended without their proper end.
  var broken: Int { shown.withLock { $0.broken } }
  /// The numbers of the received samples in order of arrival.
  var samples: [Int] {
    events.flatMap { $0.data["data"].samples.items.compactMap(\.seq.int) }
  }

  /// Stops reconnecting.
  func stop() {
    loop.execute { [self] in
      state.value.value.isOver = true
      state.value.value.stream?.cancel()
    }
  }

  private func connect() {
    guard !state.value.value.isOver else { return }
    state.value.value.connection += 1
    state.value.value.connectedAt = Date().timeIntervalSince1970
    var settings = HTTPClientSettings()
    settings.version = .http1
    settings.timeouts.response = .seconds(3600)
    let connection = ClientConnection(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
    var head = RequestHead(.get, path, authority: "localhost:\(port)")
    if let token { head.fields.append(.authorization, "Bearer \(token)") }
    head.fields.append("last-event-id", "\(state.value.value.events.last?.number ?? after)")
    state.value.value.stream = connection.send(head, endStream: true, handler: Lines(self))
  }

  fileprivate func answered(_ status: HTTPStatus) {
    latestStatus.withLock { $0 = status.code }
    if status == .ok { shown.withLock { $0.begun += 1 } }
  }

  fileprivate func take(_ name: String, _ number: Int, _ data: JSONValue) {
    let event = Event(
      number: number, name: name, data: data, connection: state.value.value.connection,
      connectedAt: state.value.value.connectedAt, time: Date().timeIntervalSince1970)
    state.value.value.events.append(event)
    shown.withLock { $0.events.append(event) }
  }

  fileprivate func ended(properly: Bool) {
    let isBroken = !properly && !state.value.value.isOver
    shown.withLock {
      $0.ended += 1
      $0.broken += isBroken ? 1 : 0
    }
    _ = loop.schedule(after: again) { [self] in connect() }
  }
}

/// Parses the events of one connection.
private final class Lines: ResponseHandler {
  private let reader: EventReader
  private var line: [UInt8] = []
  private var fields: [String: String] = [:]
  private var isStream = false

  init(_ reader: EventReader) { self.reader = reader }

  func received(head: consuming ResponseHead) {
    isStream = head.status == .ok
    reader.answered(head.status)
  }

  func received(body: Span<UInt8>) {
    guard isStream else { return }
    for index in body.indices {
      if body[index] == 0x0A {
        read(String(decoding: line, as: UTF8.self))
        line = []
      } else {
        line.append(body[index])
      }
    }
  }

  private func read(_ line: String) {
    if line.isEmpty {
      if let name = fields["event"], let number = fields["id"].flatMap({ Int($0) }),
        let data = fields["data"]
      {
        do { reader.take(name, number, try JSONValue(Array(data.utf8))) } catch {
          Issue.record(error, "The data of the event \(name) is not JSON: \(data)")
        }
      }
      fields = [:]
    } else if let colon = line.firstIndex(of: ":"), colon != line.startIndex {
      fields[String(line[..<colon])] = String(line[line.index(after: colon)...].dropFirst())
    }
  }

  func receivedEnd() { reader.ended(properly: true) }
  func failed(_ failure: StreamFailure) { reader.ended(properly: false) }
  func drained() {}
}
