import CLinux
import Synchronization

/// The destination of log lines; each call passes one whole line with its line feed. From any
/// thread.
package struct LogSink: Sendable {
  let write: @Sendable ([UInt8]) -> Void

  /// A sink that passes each line to `write`.
  package init(_ write: @escaping @Sendable ([UInt8]) -> Void) {
    self.write = write
  }

  /// Standard error, one write per line. A line that the system refuses is lost, because a log must
  /// not stop the program.
  package static let standardError = LogSink { writeLine($0, to: STDERR_FILENO) }

  /// Standard output, for the answers of a service about itself.
  static let standardOutput = LogSink { writeLine($0, to: STDOUT_FILENO) }
}

private func writeLine(_ line: [UInt8], to descriptor: Int32) {
  // SAFETY: the buffer is valid for the call, with its own size.
  _ = unsafe line.withUnsafeBytes { buffer in
    unsafe CLinux.write(descriptor, buffer.baseAddress, buffer.count)
  }
}

/// Records log lines for tests.
package final class LogRecorder: Sendable {
  private let recorded = Mutex<[String]>([])

  /// A recorder without lines.
  package init() {}

  /// The lines so far, without their line feeds.
  package var lines: [String] { recorded.withLock { $0 } }

  /// The sink that records into it.
  package var sink: LogSink {
    LogSink { line in
      let text = String(decoding: line.dropLast(), as: UTF8.self)
      self.recorded.withLock { $0.append(text) }
    }
  }
}
