import EventLoop
import HTTP
import Operations
import Time

/// Writes one log line for each request. A line never contains a path, a query value, a token or an
/// address, because those may identify people.
///
/// Lines are formatted as bytes and written together after at most 50 ms: the general log path
/// costs several times as much as everything else that the gateway does for a request, and a write
/// in each turn as much as sending a response. A killed process loses the lines of that time.
final class AccessLog {
  /// The logged fields of a request; never copied.
  struct Entry: ~Copyable {
    var requestID: [UInt8]
    /// Method and endpoint, by `target`.
    var target: [UInt8]
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
  /// The beginning of all lines of a turn, and the time of that turn.
  private var beginning: [UInt8] = []
  private var beginningTime = MonotonicInstant.zero
  private var isFlushPlanned = false
  /// Bytes of a line besides the variable texts: literals and four numbers.
  private static let otherBytesMax = 256
  /// A buffer beyond this size is flushed at once.
  private static let bufferMax = 60 * 1024
  private static let flushAfter = Duration.milliseconds(50)

  init(_ log: Log, on loop: EventLoop, now: @escaping @Sendable () -> Instant) {
    self.log = log
    self.loop = loop
    self.now = now
    isOn = log.level <= .info
    opening = Array(
      ("\",\"level\":\"info\",\"process\":\"\(log.process)\",\"message\":\"request\""
        + ",\"request_id\":\"").utf8)
  }

  /// Formats the fields `method` and `endpoint` of a line; `endpoint` is empty if the request has
  /// none. Only known methods: another one is text chosen by the client.
  static func target(_ method: HTTPMethod, _ endpoint: [UInt8]) -> [UInt8] {
    var text = Array("\",\"method\":\"".utf8)
    if case .other = method { text += "other".utf8 } else { text += method.text.utf8 }
    if !endpoint.isEmpty { text += "\",\"endpoint\":\"".utf8 + endpoint }
    return text + "\",\"status\":".utf8
  }

  /// Logs a completed request.
  func write(_ entry: borrowing Entry) {
    guard isOn else { return }
    if beginning.isEmpty || beginningTime != loop.now {
      beginning = Array("{\"time\":\"".utf8) + now().internetText.utf8 + opening
      beginningTime = loop.now
    }
    planFlush()
    // Moved out while it is written, so that the compiler proves exclusive access.
    var buffer: [UInt8] = []
    swap(&buffer, &self.buffer)
    let beginning = beginning
    let room = beginning.count + entry.requestID.count + entry.target.count + Self.otherBytesMax
    buffer.append(addingCapacity: room) { line in
      line.append(copying: beginning.span)
      line.append(copying: entry.requestID.span)
      line.append(copying: entry.target.span)
      line.append(decimal: UInt64(entry.status))
      line.append(literal: ",\"duration_microseconds\":")
      line.append(decimal: UInt64(max(0, entry.duration.wholeNanoseconds / 1000)))
      line.append(literal: ",\"bytes\":")
      line.append(decimal: entry.bytes)
      line.append(literal: ",\"attempts\":")
      line.append(decimal: UInt64(max(0, entry.attempts)))
      if !entry.isWhole { line.append(literal: ",\"abandoned\":true") }
      line.append(literal: "}\n")
    }
    swap(&buffer, &self.buffer)
    if self.buffer.count > Self.bufferMax { flush() }
  }

  private func planFlush() {
    guard !isFlushPlanned else { return }
    isFlushPlanned = true
    loop.schedule(after: Self.flushAfter) { [self] in
      isFlushPlanned = false
      flush()
    }
  }

  /// Flushes the buffered lines.
  func flush() {
    guard !buffer.isEmpty else { return }
    var lines: [UInt8] = []
    swap(&lines, &buffer)
    log.write(lines: lines)
    lines.removeAll(keepingCapacity: true)
    swap(&lines, &buffer)
  }
}
