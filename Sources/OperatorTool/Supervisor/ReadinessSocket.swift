import CLinux
import EventLoop
import Operations

/// The socket to which starting processes send that they are ready (`ReadyNotice`). On one loop.
final class ReadinessSocket: ReadinessHandler {
  /// Its path, for `NOTIFY_SOCKET`.
  let path: String
  private let descriptor: Int32
  private var registration: Registration?
  private var waiting: [Int32: () -> Void] = [:]
  private var chunk = [UInt8](repeating: 0, count: 512)

  /// A socket in a directory that only this user may enter.
  ///
  /// - Throws: `SystemError` if it cannot be bound.
  init(path: String, on loop: EventLoop) throws(SystemError) {
    self.path = path
    // SAFETY: the text is passed as a C string for the call.
    descriptor = try SystemError.check(
      "bind \(path)", unsafe linux_unix_bind(path, Int32(SOCK_DGRAM.rawValue)))
    registration = try loop.register(descriptor, self)
  }

  /// Calls `ready` once when this process sends that it is ready. To be called in the turn that
  /// started the process.
  func wait(for process: Int32, _ ready: @escaping () -> Void) { waiting[process] = ready }

  /// Expects no message of this process any longer.
  func forget(_ process: Int32) { waiting[process] = nil }

  func ready(_ readiness: Readiness) {
    while registration != nil {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { return }
      let text = String(decoding: chunk[..<count], as: UTF8.self)
      if let process = ReadyNotice.process(in: text) { waiting.removeValue(forKey: process)?() }
    }
  }

  func close() {
    registration?.cancel()
    registration = nil
    CLinux.close(descriptor)
    // SAFETY: the text is passed as a C string for the call.
    unsafe _ = unlink(path)
  }
}
