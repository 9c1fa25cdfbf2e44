import CLinux
import EventLoop
import Synchronization

/// Log lines on a descriptor that another process reads, without ever waiting for it: what the
/// reader does not take waits in memory, and lines beyond the bound are dropped and counted.
///
/// Only whole lines are dropped. How many they were stands in a line of its own as soon as the
/// reader takes lines again. From any thread.
package final class LogOutput: Sendable {
  /// Bytes that wait at most: some four thousand lines.
  package static let waitingBytesMax = 1 << 20

  /// How bytes are given to the system without waiting.
  package enum Way: Sendable {
    /// A file, which is always ready: `write`.
    case file
    /// A pipe or a terminal behind a non-blocking description of our own: `write`.
    case own
    /// A socket: `send` that is told not to wait.
    case socket
    /// What others share with us and we may not open again, as another user's pipe: it must not be
    /// made non-blocking for all, so `poll` says whether the next 4 KiB have room.
    case shared
  }

  private struct State {
    var waiting: [UInt8] = []
    var dropped = 0
    /// Those of `dropped` that no line has told of yet.
    var untold = 0
  }

  private let descriptor: Int32
  private let way: Way
  private let remark: @Sendable (Int) -> [UInt8]
  private let state = Mutex(State())

  /// An output to a descriptor, which stays the caller's; `remark` makes the line that tells how
  /// many were dropped.
  package init(_ descriptor: Int32, _ way: Way, remark: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.way = way
    self.remark = remark
  }

  /// An output to the standard error of this process, in the way that suits what it is.
  package static func standardError(
    process: String, now: @escaping @Sendable () -> WallTime
  ) -> LogOutput {
    let (descriptor, way) = open(STDERR_FILENO)
    return LogOutput(descriptor, way) { count in
      LogLine.render(
        level: .warning, time: now(), process: process, requestID: nil,
        message: "log lines were dropped", fields: [.number("lines", count)])
    }
  }

  /// The way to write to a descriptor, and the descriptor to use: for a pipe or a terminal a new
  /// one, since to make theirs non-blocking would do so for all who share it, a shell for one.
  package static func open(_ descriptor: Int32) -> (descriptor: Int32, way: Way) {
    var status = stat()
    // SAFETY: the structure is filled by the call.
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

  /// Lines that were dropped so far.
  package var droppedLines: Int { state.withLock { $0.dropped } }

  /// Writes lines, each with its line feed, or keeps them until the reader takes them.
  package func write(_ lines: [UInt8]) {
    state.withLock { state in
      if !state.waiting.isEmpty { flush(&state) }
      guard state.waiting.isEmpty else { return keep(lines, &state) }
      let taken = put(lines.span)
      if taken < lines.count { state.waiting = Array(lines[taken...]) }
    }
  }

  /// Gives the reader what waits, as far as it takes it now; whether that was all.
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
      state.untold += count
    }
  }

  private func flush(_ state: inout State) {
    state.waiting.removeFirst(put(state.waiting.span))
    guard state.waiting.isEmpty, state.untold > 0 else { return }
    let line = remark(state.untold)
    state.untold = 0
    state.waiting = Array(line[put(line.span)...])
  }

  // MARK: The system

  /// How many of the bytes the system took; all, where it refuses them for good: a log must not
  /// stop the program.
  private func put(_ bytes: Span<UInt8>) -> Int {
    var done = 0
    while done < bytes.count {
      var part = bytes.extracting(done..<bytes.count)
      if way == .shared {
        guard hasRoom else { return done }
        // What `poll` promises of a pipe (pipe(7), PIPE_BUF).
        part = part.extracting(first: 4096)
      }
      let count = give(part)
      if count > 0 {
        done += count
      } else if linux_errno() != EINTR {
        return linux_errno() == EAGAIN ? done : bytes.count
      }
    }
    return done
  }

  private func give(_ part: Span<UInt8>) -> Int {
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
