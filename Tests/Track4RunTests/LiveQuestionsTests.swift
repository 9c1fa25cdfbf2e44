import EventLoop
import Testing
import Track4Run

@Suite("Requests for runs that are not followed yet")
struct LiveQuestionsTests {
  private typealias Questions = LiveQuestions<Int>
  private let now = MonotonicInstant.zero

  @Test("requests for more than the limit of runs are refused with a retry")
  func runs() {
    var questions = Questions()
    for runID in 1...Int64(Questions.runsMax) {
      #expect(questions.ask(for: runID, 1, at: now) == .waits)
    }
    let next = Int64(Questions.runsMax) + 1
    #expect(questions.ask(for: next, 2, at: now) == .tooMany)
    // A run that is already pending accepts further clients.
    #expect(questions.ask(for: 1, 3, at: now) == .waits)
    #expect(questions.answer(1) == [1, 3])
    #expect(questions.ask(for: next, 2, at: now) == .waits)
    #expect(questions.answerAll().count == Questions.runsMax)
    #expect(questions.runIDs.isEmpty)
  }

  @Test("requests beyond the limit for one run are refused with a retry")
  func askers() {
    var questions = Questions()
    for asker in 1...Questions.askersMax {
      #expect(questions.ask(for: 7, asker, at: now) == .waits)
    }
    #expect(questions.ask(for: 7, 0, at: now) == .tooMany)
    #expect(questions.answer(7).count == Questions.askersMax)
    #expect(questions.ask(for: 7, 0, at: now) == .waits)
  }

  @Test("a number without a run is remembered as unknown for a second")
  func unknown() {
    var questions = Questions()
    _ = questions.ask(for: 7, 1, at: now)
    #expect(questions.answerUnknown(7, at: now) == [1])
    let later = now + Questions.unknownFor
    let before = MonotonicInstant(nanoseconds: later.nanoseconds - 1)
    #expect(questions.ask(for: 7, 1, at: before) == .unknown)
    #expect(questions.ask(for: 7, 1, at: later) == .waits)
  }

  @Test("a request for a run ends after five seconds")
  func patience() {
    var questions = Questions()
    let later = now + .seconds(1)
    _ = questions.ask(for: 7, 1, at: now)
    _ = questions.ask(for: 8, 2, at: later)
    #expect(questions.giveUp(at: now + .milliseconds(4_999)).isEmpty)
    #expect(questions.giveUp(at: now + Questions.patience) == [1])
    #expect(questions.runIDs == [8])
  }
}
