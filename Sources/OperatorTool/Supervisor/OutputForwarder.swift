import CLinux
import EventLoop
import Operations

/// Copies a program's output into its log file, and the lines of warnings and errors also into a
/// file of their own: a flood of requests fills the first one within minutes, and its rotation
/// would erase them. One pipe serves all restarts. On one loop.
package final class OutputForwarder: ReadinessHandler {
  private let pipe: Pipe
  private let log: RotatingLog
  private let warnings: RotatingLog
  private var registration: Registration?
  private var line: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 16_384)

  /// Lines of a log are shorter than the 4 KiB that a pipe writes atomically.
  private static let lineBytesMax = 4096
  private static let lastWordsBytesMax = 1000

  /// The last line that is not JSON: a plain sentence for the operator.
  private(set) var lastWords: String?

  /// Forwards to the file `path`, and creates `path`.warnings with the first warning.
  package init(to path: String, on loop: EventLoop) throws(SystemError) {
    pipe = try Pipe()
    log = try RotatingLog(path: path)
    warnings = RotatingLog(creatingLater: "\(path).warnings")
    linux_set_nonblocking(pipe.reading)
    registration = try loop.register(pipe.reading, self)
  }

  /// The descriptor for the child's outputs.
  package var descriptor: Int32 { pipe.writing }

  func forgetLastWords() { lastWords = nil }

  /// Adds the supervisor's own line about the program.
  func note(_ text: String) {
    log.append(Array("\(text)\n".utf8)[...])
    lastWords = text
  }

  /// Reads the new output.
  package func ready(_ readiness: Readiness) { drain() }

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

  /// Reads the rest of the output, and closes pipe and files.
  package func close() {
    drain()
    registration?.cancel()
    registration = nil
    pipe.close()
    log.close()
    warnings.close()
  }

  /// Finds warnings, errors and lines that are not JSON. Under load nearly all lines report a
  /// request, and these are not copied.
  private func take(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
      let part = rest[..<end]
      if !line.isEmpty || !Self.isRoutine(part) {
        keep(part)
        takeLine()
        line.removeAll(keepingCapacity: true)
      }
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  private func takeLine() {
    if line.first != 0x7B {
      lastWords = String(decoding: line.prefix(Self.lastWordsBytesMax), as: UTF8.self)
    } else if !Self.isRoutine(line[...]) {
      warnings.append((line + [0x0A])[...])
    }
  }

  /// Whether a line is empty, or JSON without a warning or an error.
  private static func isRoutine(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first else { return true }
    return first == 0x7B && LogLevel(ofLine: line).map { $0 < .warning } ?? true
  }

  private func keep(_ part: ArraySlice<UInt8>) {
    line += part.prefix(Self.lineBytesMax - line.count)
  }
}
