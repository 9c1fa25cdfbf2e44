import LiveRuns
import Testing
import Time

@Suite("Requests for runs that are not followed yet")
struct PendingLookupsTests {
  private typealias Lookups = PendingLookups<Int>
  private let now = MonotonicInstant.zero

  @Test("requests for more than the limit of runs are refused with a retry")
  func runs() {
    var lookups = Lookups()
    for runID in 1...Int64(Lookups.runsMax) {
      #expect(lookups.ask(for: runID, 1, at: now) == .waits)
    }
    let next = Int64(Lookups.runsMax) + 1
    #expect(lookups.ask(for: next, 2, at: now) == .tooMany)
    // A run that is already pending accepts further clients.
    #expect(lookups.ask(for: 1, 3, at: now) == .waits)
    #expect(lookups.answer(1) == [1, 3])
    #expect(lookups.ask(for: next, 2, at: now) == .waits)
    #expect(lookups.answerAll().count == Lookups.runsMax)
    #expect(lookups.runIDs.isEmpty)
  }

  @Test("requests beyond the limit for one run are refused with a retry")
  func waiters() {
    var lookups = Lookups()
    for waiter in 1...Lookups.waitersMax {
      #expect(lookups.ask(for: 7, waiter, at: now) == .waits)
    }
    #expect(lookups.ask(for: 7, 0, at: now) == .tooMany)
    #expect(lookups.answer(7).count == Lookups.waitersMax)
    #expect(lookups.ask(for: 7, 0, at: now) == .waits)
  }

  @Test("a number without a run is remembered as unknown for a second")
  func unknown() {
    var lookups = Lookups()
    _ = lookups.ask(for: 7, 1, at: now)
    #expect(lookups.answerUnknown(7, at: now) == [1])
    let later = now + Lookups.unknownFor
    let before = MonotonicInstant(nanoseconds: later.nanoseconds - 1)
    #expect(lookups.ask(for: 7, 1, at: before) == .unknown)
    #expect(lookups.ask(for: 7, 1, at: later) == .waits)
  }

  @Test("a request for a run ends after five seconds")
  func waitMax() {
    var lookups = Lookups()
    let later = now + .seconds(1)
    _ = lookups.ask(for: 7, 1, at: now)
    _ = lookups.ask(for: 8, 2, at: later)
    #expect(lookups.giveUp(at: now + .milliseconds(4_999)).isEmpty)
    #expect(lookups.giveUp(at: now + Lookups.waitMax) == [1])
    #expect(lookups.runIDs == [8])
  }
}
