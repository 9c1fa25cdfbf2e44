import CLinux
import Synchronization
import Time

/// Writes log lines to a descriptor that another process reads, without ever blocking: lines that
/// the reader has not accepted yet are buffered in memory, and lines beyond the limit are dropped
/// and counted.
///
/// Only whole lines are dropped. A separate line reports their number as soon as the reader accepts
/// lines again. From any thread.
package final class LogOutput: Sendable {
  /// Maximum size of the buffer, in bytes: about four thousand lines.
  package static let waitingBytesMax = 1 << 20

  /// How bytes are written without blocking.
  package enum Way: Sendable {
    /// A regular file, which is always writable: `write`.
    case file
    /// A pipe or a terminal, opened again as a non-blocking file description of our own: `write`.
    case own
    /// A socket: `send` with `MSG_DONTWAIT`.
    case socket
    /// A shared file description that we may not open again, such as another user's pipe. Setting
    /// it non-blocking would affect all its users, so `poll` checks whether 4 KiB fit.
    case shared
  }

  private struct State {
    var waiting: [UInt8] = []
    var dropped = 0
    /// Dropped lines that have not been reported yet.
    var unreported = 0
  }

  private let descriptor: Int32
  private let way: Way
  private let remark: @Sendable (Int) -> [UInt8]
  private let state = Mutex(State())

  /// An output to a descriptor, which the caller keeps ownership of; `remark` formats the line that
  /// reports the number of dropped lines.
  package init(_ descriptor: Int32, _ way: Way, remark: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.way = way
    self.remark = remark
  }

  /// An output to the standard error of this process, written in the way that fits its file type.
  package static func standardError(
    process: String, now: @escaping @Sendable () -> Instant
  ) -> LogOutput {
    let (descriptor, way) = open(STDERR_FILENO)
    return LogOutput(descriptor, way) { count in
      LogLine.render(
        level: .warning, time: now(), process: process, requestID: nil,
        message: "log lines were dropped", fields: [.number("lines", count)])
    }
  }

  /// The way to write to a descriptor, and the descriptor to use. A pipe or a terminal is opened
  /// again, because setting the shared description non-blocking would affect its other users, such
  /// as a shell.
  package static func open(_ descriptor: Int32) -> (descriptor: Int32, way: Way) {
    var status = stat()
    // SAFETY: the call fills in the structure.
    guard unsafe fstat(descriptor, &status) == 0 else { return (descriptor, .shared) }
    switch Int32(status.st_mode) & Int32(S_IFMT) {
    case Int32(S_IFREG): return (descriptor, .file)
    case Int32(S_IFSOCK): return (descriptor, .socket)
    default: break
    }
    // SAFETY: the text is passed as a C string for the call.
    let own = unsafe linux_open(
      "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
    return own == -1 ? (descriptor, .shared) : (own, .own)
  }

  /// The sink of a log.
  package var sink: LogSink { LogSink { [self] lines in write(lines) } }

  /// Number of lines dropped so far.
  package var droppedLines: Int { state.withLock { $0.dropped } }

  /// Writes lines, each with its line feed, or buffers them until the reader accepts them.
  package func write(_ lines: [UInt8]) {
    state.withLock { state in
      if !state.waiting.isEmpty { flush(&state) }
      guard state.waiting.isEmpty else { return keep(lines, &state) }
      let taken = put(lines.span)
      if taken < lines.count { state.waiting = Array(lines[taken...]) }
    }
  }

  /// Writes as much of the buffer as the reader accepts now; returns whether the buffer is empty.
  @discardableResult
  package func flush() -> Bool {
    state.withLock { state in
      if !state.waiting.isEmpty { flush(&state) }
      return state.waiting.isEmpty
    }
  }

  private func keep(_ lines: [UInt8], _ state: inout State) {
    if state.waiting.count + lines.count <= Self.waitingBytesMax {
      state.waiting += lines
    } else {
      let count = lines.count { $0 == UInt8(ascii: "\n") }
      state.dropped += count
      state.unreported += count
    }
  }

  private func flush(_ state: inout State) {
    state.waiting.removeFirst(put(state.waiting.span))
    guard state.waiting.isEmpty, state.unreported > 0 else { return }
    let line = remark(state.unreported)
    state.unreported = 0
    state.waiting = Array(line[put(line.span)...])
  }

  // MARK: The system

  /// Writes bytes and returns how many the system accepted. A permanent error counts as accepted,
  /// because a log must not stop the program.
  private func put(_ bytes: Span<UInt8>) -> Int {
    var done = 0
    while done < bytes.count {
      var part = bytes.extracting(done..<bytes.count)
      if way == .shared {
        guard hasRoom else { return done }
        // `poll` guarantees room for PIPE_BUF bytes (pipe(7)).
        part = part.extracting(first: 4096)
      }
      let count = writeOnce(part)
      if count > 0 {
        done += count
      } else if linux_errno() != EINTR {
        return linux_errno() == EAGAIN ? done : bytes.count
      }
    }
    return done
  }

  private func writeOnce(_ part: Span<UInt8>) -> Int {
    unsafe part.withUnsafeBytes { buffer in
      // SAFETY: the buffer is valid for the call, with its own size.
      way == .socket
        ? unsafe send(
          descriptor, buffer.baseAddress, buffer.count,
          Int32(MSG_DONTWAIT)
            | Int32(MSG_NOSIGNAL))
        : unsafe CLinux.write(descriptor, buffer.baseAddress, buffer.count)
    }
  }

  private var hasRoom: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // SAFETY: one entry, filled by the call.
    return unsafe poll(&entry, 1, 0) == 1
  }
}
