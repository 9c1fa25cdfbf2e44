import EventLoop
import HTTP
import Operations
import Time

/// Writes one log line for each request. A line never contains a path, a query value, a token or an
/// address, because those may identify people.
///
/// Lines are formatted as bytes and flushed with one write per loop turn: the general log path
/// costs several times as much as everything else that the gateway does for a request.
final class AccessLog {
  /// The logged fields of a request.
  struct Entry {
    var requestID: [UInt8]
    var method: HTTPMethod
    /// The endpoint's name; empty if the request has none.
    var endpoint: [UInt8]
    var status: UInt16
    var duration: Duration
    /// Body bytes of the response, and attempts at replicas.
    var bytes: UInt64
    var attempts: Int
    /// Whether the client received the whole response, as far as the gateway can tell.
    var isWhole: Bool
  }

  private let loop: EventLoop
  private let log: Log
  private let now: @Sendable () -> Instant
  private let isOn: Bool
  private let opening: [UInt8]
  private var buffer: [UInt8] = []
  private var time: [UInt8] = []
  /// A buffer beyond this size is flushed before the turn ends.
  private static let bufferMax = 60 * 1024

  init(_ log: Log, on loop: EventLoop, now: @escaping @Sendable () -> Instant) {
    self.log = log
    self.loop = loop
    self.now = now
    isOn = log.level <= .info
    opening = Array(
      "\",\"level\":\"info\",\"process\":\"\(log.process)\",\"message\":\"request\"".utf8)
  }

  /// Logs a completed request.
  func write(_ entry: Entry) {
    guard isOn else { return }
    if buffer.isEmpty {
      time = Array(now().internetText.utf8)
      loop.endOfTurn { [self] in flush() }
    }
    // Moved out while it is written: exclusive access is then checked twice, not for each append.
    var buffer: [UInt8] = []
    swap(&buffer, &self.buffer)
    buffer.append(literal: "{\"time\":\"")
    buffer += time
    buffer += opening
    buffer.append(literal: ",\"request_id\":\"")
    buffer += entry.requestID
    buffer.append(literal: "\",\"method\":\"")
    buffer += Self.name(of: entry.method)
    if !entry.endpoint.isEmpty {
      buffer.append(literal: "\",\"endpoint\":\"")
      buffer += entry.endpoint
    }
    buffer.append(literal: "\",\"status\":")
    buffer.append(decimal: Int(entry.status))
    buffer.append(literal: ",\"duration_microseconds\":")
    buffer.append(decimal: Int(entry.duration.wholeNanoseconds / 1000))
    buffer.append(literal: ",\"bytes\":")
    buffer.append(decimal: entry.bytes)
    buffer.append(literal: ",\"attempts\":")
    buffer.append(decimal: entry.attempts)
    if !entry.isWhole { buffer.append(literal: ",\"abandoned\":true") }
    buffer.append(literal: "}\n")
    swap(&buffer, &self.buffer)
    if self.buffer.count > Self.bufferMax { flush() }
  }

  /// Flushes the buffered lines.
  func flush() {
    guard !buffer.isEmpty else { return }
    log.write(lines: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Only known methods; an unknown one is text chosen by the client.
  private static func name(of method: HTTPMethod) -> String.UTF8View {
    if case .other = method { return "other".utf8 }
    return method.text.utf8
  }
}
