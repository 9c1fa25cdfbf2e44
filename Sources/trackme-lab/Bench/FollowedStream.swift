import Domain
import EventLoop
import HTTP
import Time

/// A third party's event stream, parsed for the times of its samples.
final class FollowedStream: ResponseHandler {
  /// Whether the stream is open: it has begun and has not ended.
  private(set) var isOpen = false
  private(set) var isLost = false
  private let connection: ClientConnection
  private let arrived: (Instant) -> Void
  private var line: [UInt8] = []

  init(
    _ port: UInt16, _ token: String, on loop: EventLoop, _ arrived: @escaping (Instant) -> Void
  ) {
    self.arrived = arrived
    var settings = HTTPClientSettings()
    settings.version = .http1
    settings.timeouts.response = .seconds(24 * 3600)
    connection = ClientConnection(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
    var head = RequestHead(.get, "/req/tp/stream", authority: "localhost:\(port)")
    head.fields.append(.authorization, "Bearer \(token)")
    _ = connection.send(head, endStream: true, handler: self)
  }

  func received(head: consuming ResponseHead) {
    isOpen = head.status == .ok
    isLost = !isOpen
  }

  func received(body: Span<UInt8>) {
    for index in body.indices {
      if body[index] == UInt8(ascii: "\n") {
        read()
        line.removeAll(keepingCapacity: true)
      } else {
        line.append(body[index])
      }
    }
  }

  func receivedEnd() { isLost = true }
  func failed(_ failure: StreamFailure) { isLost = true }
  func drained() {}

  private static let data = Array("data: ".utf8)
  private static let sample = Array("\"dataType\":".utf8)
  private static let mark = Array("\"timestamp\":\"".utf8)

  /// Reads the sample times of a line; the event's own time precedes its samples.
  private func read() {
    guard line.starts(with: Self.data) else { return }
    var rest = line[...]
    while let start = rest.firstRange(of: Self.sample) {
      rest = rest[start.upperBound...]
      guard let mark = rest.firstRange(of: Self.mark),
        let end = rest[mark.upperBound...].firstIndex(of: UInt8(ascii: "\""))
      else { return }
      do throws(InstantError) {
        arrived(try Instant(String(decoding: rest[mark.upperBound..<end], as: UTF8.self)))
      } catch {
        isLost = true
      }
      rest = rest[end...]
    }
  }
}

/// A connection that uploads samples one by one.
final class UploadingClient: ResponseHandler {
  /// The failure of the connection; it sends nothing after a failure.
  private(set) var failure: StreamFailure?
  private let connection: ClientConnection
  private let port: UInt16
  private var isAccepted = false
  private var done: ((Bool) -> Void)?

  init(_ port: UInt16, on loop: EventLoop) {
    self.port = port
    var settings = HTTPClientSettings()
    settings.version = .http1
    connection = ClientConnection(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
  }

  /// Uploads a heart rate of this time; `done` receives whether it was accepted.
  func upload(
    _ time: Instant, _ rate: Int = 60, by token: String, _ done: @escaping (Bool) -> Void
  ) {
    let body = Array(
      "{\"dataTypes\":[\"heartRate\"],\"values\":[\(rate)],\"timestamp\":[\"\(time)\"]}".utf8)
    upload(body, by: token, done)
  }

  /// Uploads a document; `done` receives whether it was accepted.
  func upload(_ body: [UInt8], by token: String, _ done: @escaping (Bool) -> Void) {
    self.done = done
    isAccepted = false
    var head = RequestHead(.post, "/data/upload", authority: "localhost:\(port)")
    head.fields.append(.authorization, "Bearer \(token)")
    head.fields.append(.contentType, "application/json")
    head.contentLength = UInt64(body.count)
    head.hasBody = true
    let stream = connection.send(head, endStream: false, handler: self)
    stream.send(body: body.span, endStream: true)
  }

  func received(head: consuming ResponseHead) { isAccepted = head.status == .ok }
  func received(body: Span<UInt8>) {}
  func receivedEnd() { end(isAccepted) }
  func failed(_ failure: StreamFailure) {
    self.failure = failure
    end(false)
  }
  func drained() {}

  private func end(_ isAccepted: Bool) {
    let done = done
    self.done = nil
    done?(isAccepted)
  }
}
