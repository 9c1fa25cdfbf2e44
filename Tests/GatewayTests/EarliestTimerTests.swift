import EventLoop
import Gateway
import Testing
import Time

@Suite("The timer of waiting requests")
struct EarliestTimerTests {
  private let loop = EventLoop.manual()
  private let timer: EarliestTimer

  init() { timer = EarliestTimer(on: loop) }

  @Test("an earlier deadline moves the timer, a later one does not")
  func moved() {
    var times: [MonotonicInstant] = []
    for seconds in [5, 3, 4] {
      timer.add(.zero + .seconds(seconds)) { times.append(loop.now) }
    }
    loop.advance(by: .seconds(10))
    #expect(times == [.zero + .seconds(3)])
  }

  @Test("its action adds the next deadline, and a deadline that has passed is due at once")
  func next() {
    var times: [MonotonicInstant] = []
    timer.add(.zero + .seconds(2)) {
      times.append(loop.now)
      timer.add(.zero + .seconds(1)) { times.append(loop.now) }
      timer.add(.zero + .seconds(4)) { times.append(loop.now) }
    }
    loop.advance(by: .seconds(10))
    #expect(times == [.zero + .seconds(2), .zero + .seconds(2)])
  }

  @Test("a cancelled timer does not fire, and can be used again")
  func cancelled() {
    var times: [MonotonicInstant] = []
    timer.add(.zero + .seconds(1)) { times.append(loop.now) }
    timer.cancel()
    timer.add(.zero + .seconds(2)) { times.append(loop.now) }
    loop.advance(by: .seconds(10))
    #expect(times == [.zero + .seconds(2)])
  }
}
