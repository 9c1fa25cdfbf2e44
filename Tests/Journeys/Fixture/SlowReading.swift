import EventLoop
import HTTP
import Support
import Synchronization
import Testing

/// A client reads one flow-control window of a response, another one with each `readWindow`, and
/// the rest after `resume`.
struct SlowReading: Sendable {
  private struct Progress {
    var body: [UInt8] = []
    var end: Result<Void, StreamFailure>?
  }

  private final class State: Sendable {
    let progress = Mutex(Progress())
  }

  private final class Reader: ResponseHandler {
    let state: State
    var stream: (any ClientStream)?
    var isSlow = true

    init(_ state: State) { self.state = state }

    func received(head: consuming ResponseHead) { stream?.holdBody() }
    func received(body: Span<UInt8>) {
      let part = Array(copying: body)
      state.progress.withLock { $0.body += part }
      if isSlow { stream?.holdBody() }
    }
    func receivedEnd() { state.progress.withLock { $0.end = .success(()) } }
    func failed(_ failure: StreamFailure) {
      state.progress.withLock { $0.end = .failure(failure) }
    }
    func drained() {}
  }

  private let state = State()
  private let reader: LoopBound<Reader>

  init(_ target: String, _ client: PublicClient, token: String? = nil) throws {
    reader = LoopBound(Reader(state), on: try clientLoop.get())
    reader.loop.execute { [reader] in
      do {
        reader.value.stream = try client.begin(target, token: token, for: reader.value)
      } catch {
        Issue.record(error)
      }
    }
  }

  /// The bytes of the body so far.
  var count: Int { state.progress.withLock { $0.body.count } }

  func readWindow() { reader.loop.execute { [reader] in reader.value.stream?.resumeBody() } }

  func resume() {
    reader.loop.execute { [reader] in
      reader.value.isSlow = false
      reader.value.stream?.resumeBody()
    }
  }

  /// How the response ended; nil if it has not.
  var end: Result<Void, StreamFailure>? { state.progress.withLock { $0.end } }

  /// The body once it is complete.
  func whole() async throws -> [UInt8] {
    let end = try await eventually("the end of the response") { self.end }
    try end.get()
    return state.progress.withLock { $0.body }
  }
}
