import CLinux
import EventLoop
import Time

/// A running program with one socket as its standard input and output; its standard error is
/// discarded. Dropping this value kills the program's process group.
///
/// Calls block, at most until their deadline, so use it on a thread of a pool.
package struct ProgramDialogue: ~Copyable {
  /// The outcome of `listen`.
  package enum Heard: Sendable, Equatable {
    case bytes([UInt8])
    /// No output before the deadline.
    case nothing
    /// The program ended or closed its output.
    case end
  }

  private let process: Int32
  private let socket: Int32

  /// Starts the program. `extra` becomes its descriptor 3; the caller keeps ownership of it.
  ///
  /// The thread should live as long as the process, as for `ProgramOrder.start`.
  ///
  /// - Throws: `SystemError` also when the program cannot be executed.
  package init(_ order: ProgramOrder, extra: Int32 = -1) throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    // SAFETY: socketpair fills two descriptors; the tuple holds two.
    let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
      unsafe linux_dialogue(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    try SystemError.check("socketpair", result)
    let (ours, theirs) = ends
    defer { close(theirs) }
    do throws(SystemError) {
      // SAFETY: the text is passed as a C string for the call.
      let nowhere = try SystemError.check("open", unsafe linux_open("/dev/null", O_WRONLY, 0))
      defer { close(nowhere) }
      process = try order.start(
        .init(input: theirs, output: theirs, errors: nowhere, extra: extra))
      socket = ours
    } catch {
      close(ours)
      throw error
    }
  }

  deinit {
    kill(-process, SIGKILL)
    var word: Int32 = 0
    // SAFETY: `word` outlives the call.
    while unsafe waitpid(process, &word, 0) == -1, linux_errno() == EINTR {}
    close(socket)
  }

  /// Writes a text that fits into the socket's buffer (100 KiB). If the program has ended, the text
  /// is lost.
  package func say(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is valid for the call, with its own size.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      if count == -1, linux_errno() == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the program's input.
  package func sayNoMore() { _ = linux_end_of_input(socket) }

  /// Reads the next output of the program.
  package func listen(until deadline: MonotonicInstant) -> Heard {
    while true {
      let left = (deadline - MonotonicClock.now).wholeNanoseconds
      guard left > 0 else { return .nothing }
      var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      // SAFETY: one record, which outlives the call.
      let count = unsafe poll(&watched, 1, Int32(clamping: left / 1_000_000 + 1))
      if count == 0 || (count == -1 && linux_errno() == EINTR) { continue }
      var chunk = [UInt8](repeating: 0, count: 16_384)
      // SAFETY: reads at most the size of `chunk` into it.
      let size = unsafe read(socket, &chunk, chunk.count)
      if size == -1, linux_errno() == EINTR { continue }
      return size > 0 ? .bytes(Array(chunk[..<size])) : .end
    }
  }
}
