import EventLoop
import HTTP
import Operations
import Requirements
import Testing

@Suite("The log of responses that are reset at the limit of memory", .tags(.GW_5))
struct ShedLogTests {
  private let recorder = LogRecorder()
  private let counter = Metrics().counter("trackme_test_shed_total", "Resets.")
  private let loop = EventLoop.manual()

  private func makeLog() -> ShedLog {
    ShedLog(Log(process: "test", sink: recorder.sink), counter, on: loop)
  }

  private func expectLast(responses: Int, bytes: Int, lines: Int) {
    #expect(recorder.lines.count == lines)
    let end = "\"responses\":\(responses),\"bytes\":\(bytes)}"
    #expect(recorder.lines.last?.hasSuffix(end) == true)
  }

  @Test("the first reset has a line at once, and those of the next second one line with their sum")
  func sum() {
    let log = makeLog()
    log.note(responses: 2, bytes: 100)
    expectLast(responses: 2, bytes: 100, lines: 1)
    log.note(responses: 3, bytes: 50)
    log.note(responses: 4, bytes: 60)
    loop.advance(by: .milliseconds(999))
    #expect(recorder.lines.count == 1)
    loop.advance(by: .milliseconds(1))
    expectLast(responses: 7, bytes: 110, lines: 2)
    // The line with the sum begins another second.
    log.note(responses: 1, bytes: 10)
    #expect(recorder.lines.count == 2)
    loop.advance(by: .seconds(1))
    expectLast(responses: 1, bytes: 10, lines: 3)
    #expect(counter.value == 10)
  }

  @Test("a second without resets has no line, and the next reset one at once")
  func silent() {
    let log = makeLog()
    log.note(responses: 1, bytes: 10)
    loop.advance(by: .seconds(5))
    #expect(recorder.lines.count == 1)
    log.note(responses: 5, bytes: 70)
    expectLast(responses: 5, bytes: 70, lines: 2)
  }
}
