import EventLoop
import Requirements
import Testing

@Suite("Periodic tasks")
struct PeriodicTaskTests {
  @Test("the next turn starts after the pause, immediately after wake, and never after stop")
  func rounds() {
    let loop = EventLoop.manual()
    let turns = LoopBound(Count(), on: loop)
    let ends = LoopBound(Count(), on: loop)
    let work = PeriodicTask(on: loop) {
      turns.value.value += 1
      return .seconds(5)
    }
    work.start()
    loop.runUntilIdle()
    #expect(turns.value.value == 1)
    loop.advance(by: .seconds(5))
    #expect(turns.value.value == 2)
    work.wake()
    loop.runUntilIdle()
    #expect(turns.value.value == 3)
    loop.begin {
      await work.stop()
      ends.value.value += 1
    }
    loop.runUntilIdle()
    #expect(ends.value.value == 1)
    loop.advance(by: .seconds(60))
    #expect(turns.value.value == 3)
  }
}

private final class Count { var value = 0 }
