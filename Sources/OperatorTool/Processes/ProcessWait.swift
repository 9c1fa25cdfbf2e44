import CLinux
import Time

/// Waits for a process that is not a child of this one.
enum ProcessWait {
  /// Blocks until `process` has ended; returns whether it ended in time. True if it had ended
  /// before.
  static func waitForEnd(of process: Int32, atMost time: Duration) -> Bool {
    let descriptor = linux_pidfd_open(process)
    guard descriptor >= 0 else { return linux_errno() == ESRCH }
    defer { close(descriptor) }
    let milliseconds = Int32(clamping: time.wholeNanoseconds / 1_000_000)
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one record, which outlives the call.
    return unsafe poll(&watched, 1, milliseconds) == 1
  }
}
