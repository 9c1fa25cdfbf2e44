import CLinux

/// The terminal output of the operator's tool and the lab; the services write logs instead.
///
/// A line that cannot be written is lost: the disk may be full, or the reader of a pipe may have
/// ended, where the program ignores SIGPIPE. Foundation's `FileHandle.write` would trap.
package enum Terminal {
  /// Prints a line on standard output.
  package static func say(_ line: String) { put(line, on: STDOUT_FILENO) }

  /// Prints an error line on standard error.
  package static func complain(_ line: String) { put(line, on: STDERR_FILENO) }

  private static func put(_ line: String, on descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    var done = 0
    while done < bytes.count {
      // SAFETY: the buffer is valid for the call, with its own size.
      let count = unsafe bytes[done...].withUnsafeBytes { buffer in
        unsafe CLinux.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count > 0 {
        done += count
      } else if linux_errno() == EAGAIN {
        waitForRoom(on: descriptor)
      } else if linux_errno() != EINTR {
        return
      }
    }
  }

  /// Another program may have set the shared descriptor non-blocking.
  private static func waitForRoom(on descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // SAFETY: one entry, filled by the call.
    _ = unsafe poll(&entry, 1, -1)
  }
}
