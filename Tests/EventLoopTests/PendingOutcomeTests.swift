import EventLoop
import Requirements
import Testing

@Suite("Work with a bounded wait")
struct PendingOutcomeTests {
  private struct Failure: Error {}

  @Test("a wait that times out returns nil; the work continues for a later wait")
  func late() {
    let loop = EventLoop.manual()
    let seen = LoopBound(Seen(), on: loop)
    loop.begin {
      let pending = PendingOutcome(on: loop) { () async throws(CancellationError) -> Int in
        try await loop.wait(for: .seconds(2))
        return 7
      }
      for _ in 0..<2 {
        switch await pending.value(within: .seconds(1.5)) {
        case .success(let value): seen.value.words.append("\(value)")
        case .failure: seen.value.words.append("failed")
        case nil: seen.value.words.append("late")
        }
      }
    }
    loop.runUntilIdle()
    #expect(seen.value.words.isEmpty)
    loop.advance(by: .seconds(1.5))
    #expect(seen.value.words == ["late"])
    loop.advance(by: .seconds(0.5))
    #expect(seen.value.words == ["late", "7"])
  }

  @Test("an available outcome is returned immediately, also an error")
  func early() {
    let loop = EventLoop.manual()
    let seen = LoopBound(Seen(), on: loop)
    loop.begin {
      let pending = PendingOutcome(on: loop) { () async throws(Failure) -> Int in
        throw Failure()
      }
      for _ in 0..<2 {
        if case .failure = await pending.value(within: .seconds(1)) {
          seen.value.words.append("failed")
        }
      }
    }
    loop.runUntilIdle()
    #expect(seen.value.words == ["failed", "failed"])
  }
}

private final class Seen { var words: [String] = [] }
