import CLinux
import EventLoop
import Operations

/// The socket by which a command of the operator's tool asks the running supervisor for work: the
/// command sends one line of words, and receives lines of progress. The last one begins with
/// `done` or `failed`. Only this user may enter its directory. On one loop.
final class ControlSocket: ReadinessHandler {
  private let path: String
  private let descriptor: Int32
  private let loop: EventLoop
  private let execute: (ControlRequest) -> Void
  private var registration: Registration?

  /// Listens at this path; `execute` receives each complete request.
  ///
  /// - Throws: `SystemError` if it cannot be bound.
  init(
    path: String, on loop: EventLoop, execute: @escaping (ControlRequest) -> Void
  ) throws(SystemError) {
    self.path = path
    self.loop = loop
    self.execute = execute
    // SAFETY: the text is passed as a C string for the call.
    descriptor = try SystemError.check(
      "bind \(path)", unsafe linux_unix_bind(path, Int32(SOCK_STREAM.rawValue)))
    registration = try loop.register(descriptor, self)
  }

  func ready(_ readiness: Readiness) {
    while registration != nil {
      let accepted = linux_unix_accept(descriptor)
      guard accepted >= 0 else { return }
      ControlRequest(accepted, execute).begin(on: loop)
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

/// A connection of a command. It retains itself until `end`, or until the command leaves without a
/// request.
final class ControlRequest: ReadinessHandler {
  private static let bytesMax = 4096

  /// The words of the request.
  private(set) var words: [String] = []
  /// Whether the command has ended: the work should stop at a safe place.
  private(set) var isAbandoned = false
  private let descriptor: Int32
  private let execute: (ControlRequest) -> Void
  private var registration: Registration?
  private var received: [UInt8] = []
  private var isComplete = false

  fileprivate init(_ descriptor: Int32, _ execute: @escaping (ControlRequest) -> Void) {
    self.descriptor = descriptor
    self.execute = execute
  }

  fileprivate func begin(on loop: EventLoop) {
    do throws(SystemError) {
      registration = try loop.register(descriptor, self)
    } catch {
      CLinux.close(descriptor)
    }
  }

  func ready(_ readiness: Readiness) {
    var chunk = [UInt8](repeating: 0, count: 512)
    while registration != nil {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count == -1, linux_errno() == EAGAIN { return }
      guard count > 0, received.count + count <= Self.bytesMax else { return leave() }
      received += chunk[..<count]
      guard !isComplete, let end = received.firstIndex(of: 0x0A) else { continue }
      isComplete = true
      let line = String(decoding: received[..<end], as: UTF8.self)
      words = line.split(separator: " ").map(String.init)
      execute(self)
    }
  }

  private func leave() {
    isAbandoned = true
    if !isComplete { close() }
  }

  /// Sends a line of progress.
  func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    // SAFETY: the buffer is valid for the call, with its own size. A command that does not read
    // loses lines.
    _ = unsafe bytes.withUnsafeBytes { buffer in
      unsafe send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Sends the outcome; nil is success.
  func end(_ failure: StartError?) {
    say(failure.map { "failed \($0.description)" } ?? "done")
    close()
  }

  private func close() {
    registration?.cancel()
    registration = nil
    CLinux.close(descriptor)
  }
}
