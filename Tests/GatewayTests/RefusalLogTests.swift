import EventLoop
import Gateway
import HTTP
import Operations
import Synchronization
import Testing

@Suite("The log of refusals")
struct RefusalLogTests {
  @Test("repeated refusals with one cause are summarised, each other cause has its own line")
  func flood() throws {
    let written = Mutex<[String]>([])
    let log = Log(
      process: "test",
      sink: LogSink { bytes in
        written.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
      })
    let loop = EventLoop.manual()
    let refusals = RefusalLog(log, on: loop)
    let (first, other) = (RequestID(high: 1, low: 1), RequestID(high: 1, low: 2))
    refusals.note(.unavailable(), of: first, attempts: 0)
    for _ in 0..<5000 { refusals.note(.unavailable(), of: other, attempts: 0) }
    refusals.note(.gatewayTimedOut, of: other, attempts: 1)
    #expect(written.withLock { $0.count } == 2)
    #expect(written.withLock { $0[0].contains(first.description) && $0[0].contains("503") })
    #expect(written.withLock { $0[1].contains(other.description) && $0[1].contains("504") })
    loop.advance(by: .seconds(1))
    #expect(written.withLock { $0.count } == 3)
    #expect(written.withLock { $0[2].contains("\"requests\":5000") && $0[2].contains("503") })
    refusals.note(.unavailable(), of: other, attempts: 0)
    loop.advance(by: .seconds(1))
    #expect(written.withLock { $0.count } == 4)
    #expect(written.withLock { $0[3].contains(other.description) })
  }
}
