import CLinux
import EventLoop
import Operations

/// Copies a program's output into its log file. One pipe serves all restarts. On one loop.
final class OutputForwarder: ReadinessHandler {
  private let pipe: Pipe
  private let log: RotatingLog
  private var registration: Registration?
  private var line: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 16_384)

  private static let lineBytesMax = 1000

  /// The last line that is not JSON: a plain sentence for the operator.
  private(set) var lastWords: String?

  init(to path: String, on loop: EventLoop) throws(SystemError) {
    pipe = try Pipe()
    log = try RotatingLog(path: path)
    linux_set_nonblocking(pipe.reading)
    registration = try loop.register(pipe.reading, self)
  }

  /// The descriptor for the child's outputs.
  var descriptor: Int32 { pipe.writing }

  func forgetLastWords() { lastWords = nil }

  /// Adds the supervisor's own line about the program.
  func note(_ text: String) {
    log.append(Array("\(text)\n".utf8)[...])
    lastWords = text
  }

  func ready(_ readiness: Readiness) { drain() }

  /// Reads all output written so far.
  func drain() {
    while registration != nil {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe read(pipe.reading, &chunk, chunk.count)
      guard count > 0 else { return }
      log.append(chunk[..<count])
      take(chunk[..<count])
    }
  }

  func close() {
    drain()
    registration?.cancel()
    registration = nil
    pipe.close()
    log.close()
  }

  /// Finds lines that are not JSON. Under load nearly all lines are JSON, and these are not copied.
  private func take(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
      if let first = line.first ?? rest.first, first != 0x7B, first != 0x0A {
        keep(rest[..<end])
        lastWords = String(decoding: line, as: UTF8.self)
      }
      line.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  private func keep(_ part: ArraySlice<UInt8>) {
    line += part.prefix(Self.lineBytesMax - line.count)
  }
}
