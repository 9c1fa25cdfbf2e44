import CLinux
import EventLoop

/// Waiting for a process that is not our child.
enum ProcessWait {
  /// Blocks until `process` ended; whether it did in time. A process that is gone already did.
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
