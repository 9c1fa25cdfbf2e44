import EventLoop
import HTTP

/// One health check of a replica, on the connection that its requests use. Any status from 200 to
/// 299 passes.
final class HealthCheck: ResponseHandler {
  private let loop: EventLoop
  private var answer: ((Bool) -> Void)?
  private var stream: (any ClientStream)?
  private var timer: LoopTimer?
  private var isGood = false

  init(on loop: EventLoop, _ answer: @escaping (Bool) -> Void) {
    self.loop = loop
    self.answer = answer
  }

  func begin(_ connection: ClientConnection, _ head: RequestHead) {
    timer = loop.schedule(after: ReplicaHealth.checkMax) { [self] in
      stream?.cancel()
      end(false)
    }
    stream = connection.send(head, endStream: true, handler: self)
  }

  func cancel() {
    answer = nil
    stream?.cancel()
    end(false)
  }

  func received(head: ResponseHead) { isGood = head.status.code / 100 == 2 }

  func received(body: Span<UInt8>) {}

  func receivedEnd() { end(isGood) }

  func failed(_ failure: StreamFailure) { end(false) }

  func drained() {}

  private func end(_ hasPassed: Bool) {
    timer?.cancel()
    timer = nil
    stream = nil
    let answer = answer
    self.answer = nil
    answer?(hasPassed)
  }
}
