import EventLoop
import HTTP
import Operations

/// One line for each request, as the log writes lines: never a path, a query's value, a token or an
/// address, for those may tell of people.
///
/// Lines are laid out as bytes and go out with one write a turn: the log's own way costs several
/// times as much as all else that the gateway does for a request.
final class AccessLog {
  /// What is written of a request.
  struct Entry {
    var requestID: [UInt8]
    var method: HTTPMethod
    /// The endpoint's name; empty where there is none.
    var endpoint: [UInt8]
    var status: UInt16
    var duration: Duration
    /// Bytes of the answer's body, and sendings to replicas.
    var bytes: UInt64
    var attempts: Int
    /// Whether the client got the whole answer, as far as one can know.
    var isWhole: Bool
  }

  private let loop: EventLoop
  private let log: Log
  private let now: @Sendable () -> WallTime
  private let isOn: Bool
  private let opening: [UInt8]
  private var buffer: [UInt8] = []
  private var time: [UInt8] = []
  /// A buffer beyond this is written before the turn ends.
  private static let bufferMax = 60 * 1024

  init(_ log: Log, on loop: EventLoop, now: @escaping @Sendable () -> WallTime) {
    self.log = log
    self.loop = loop
    self.now = now
    isOn = log.level <= .info
    opening = Array(
      "\",\"level\":\"info\",\"process\":\"\(log.process)\",\"message\":\"request\"".utf8)
  }

  /// Notes a request that is over.
  func write(_ entry: Entry) {
    guard isOn else { return }
    if buffer.isEmpty {
      time = Array(now().internetText.utf8)
      loop.endOfTurn { [self] in flush() }
    }
    // Taken out while it is written to: its owner is then asked for it twice, not at each word.
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

  /// Writes what has gathered.
  func flush() {
    guard !buffer.isEmpty else { return }
    log.write(lines: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Only methods we know: another one is the client's own text.
  private static func name(of method: HTTPMethod) -> String.UTF8View {
    if case .other = method { return "other".utf8 }
    return method.text.utf8
  }
}
