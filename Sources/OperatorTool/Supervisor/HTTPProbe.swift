import CLinux
import EventLoop

/// Checks the readiness of a process by `GET /ready` on a loopback port. Any status other than 200,
/// or no answer within a second, means not ready.
final class HTTPProbe: ReadinessHandler {
  private let descriptor: Int32
  private var registration: Registration?
  private var timer: LoopTimer?
  private var continuation: CheckedContinuation<Bool, Never>?
  private var answer: [UInt8] = []
  private var hasAsked = false

  private static let waitMax = Duration.seconds(1)
  private static let question = Array(
    "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
  private static let expected = Array("HTTP/1.1 200".utf8)

  static func ask(port: UInt16, on loop: EventLoop) async -> Bool {
    await withCheckedContinuation { continuation in
      HTTPProbe(continuation).begin(port: port, on: loop)
    }
  }

  private init(_ continuation: CheckedContinuation<Bool, Never>) {
    self.continuation = continuation
    descriptor = linux_tcp_socket()
  }

  private func begin(port: UInt16, on loop: EventLoop) {
    guard descriptor >= 0, linux_connect_loopback(descriptor, port) == 0 else {
      return finish(false)
    }
    do throws(SystemError) {
      registration = try loop.register(descriptor, self)
      timer = loop.schedule(after: Self.waitMax) { [self] in finish(false) }
    } catch {
      finish(false)
    }
  }

  func ready(_ readiness: Readiness) {
    if readiness.contains(.error) { return finish(false) }
    if readiness.contains(.writable), !hasAsked { send() }
    if readiness.contains(.readable) || readiness.contains(.hangup) { receive() }
  }

  private func send() {
    hasAsked = true
    // SAFETY: the buffer is valid for the call, with its own size. So few bytes are sent in one
    // call.
    let count = unsafe Self.question.withUnsafeBytes { buffer in
      unsafe CLinux.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    }
    if count != Self.question.count { finish(false) }
  }

  private func receive() {
    var chunk = [UInt8](repeating: 0, count: 64)
    while answer.count < Self.expected.count {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count == -1 { return linux_errno() == EAGAIN ? () : finish(false) }
      if count == 0 { return finish(false) }
      answer += chunk[..<count]
    }
    finish(answer.starts(with: Self.expected))
  }

  private func finish(_ isServing: Bool) {
    guard let continuation else { return }
    self.continuation = nil
    timer?.cancel()
    registration?.cancel()
    if descriptor >= 0 { close(descriptor) }
    continuation.resume(returning: isServing)
  }
}
