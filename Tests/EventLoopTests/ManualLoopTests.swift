import EventLoop
import Testing
import Time

@Suite("The manual loop")
struct ManualLoopTests {
  @Test("work runs in the order it was queued, and only when the loop is run")
  func order() {
    let loop = EventLoop.manual()
    var seen: [Int] = []
    let record = LoopBound(Record { seen.append($0) }, on: loop)
    for number in 1...3 { loop.execute { record.value.add(number) } }
    #expect(seen.isEmpty)
    loop.runUntilIdle()
    #expect(seen == [1, 2, 3])
  }

  @Test("timers fire by deadline, equal ones in order of insertion")
  func timers() {
    let loop = EventLoop.manual()
    var seen: [String] = []
    loop.schedule(after: .seconds(2)) { seen.append("late") }
    loop.schedule(after: .seconds(1)) { seen.append("first") }
    loop.schedule(after: .seconds(1)) { seen.append("second") }
    loop.advance(by: .milliseconds(999))
    #expect(seen.isEmpty)
    loop.advance(by: .milliseconds(1))
    #expect(seen == ["first", "second"])
    loop.advance(by: .seconds(10))
    #expect(seen == ["first", "second", "late"])
  }

  @Test("a timer sees its own deadline as the time, even if the clock advances far beyond")
  func timeOfTimer() {
    let loop = EventLoop.manual()
    var fired: MonotonicInstant?
    loop.schedule(after: .seconds(3)) { fired = loop.now }
    loop.advance(by: .seconds(100))
    #expect(fired == .zero + .seconds(3))
    #expect(loop.now == .zero + .seconds(100))
  }

  @Test("a cancelled timer does not fire, also among thousands")
  func cancelledTimers() {
    let loop = EventLoop.manual()
    var count = 0
    let timers = (0..<5000).map { index in
      loop.schedule(after: .milliseconds(index % 97)) { count += 1 }
    }
    for (index, timer) in timers.enumerated() where index % 10 != 0 { timer.cancel() }
    for _ in 0..<200 { loop.schedule(after: .seconds(1)) { count += 1 } }
    loop.advance(by: .seconds(1))
    #expect(count == 700)
  }

  @Test("a timer set by a timer for the same instant fires in the same advance")
  func nestedTimers() {
    let loop = EventLoop.manual()
    var depth = 0
    func again() {
      depth += 1
      if depth < 5 { loop.schedule(after: .zero) { again() } }
    }
    loop.schedule(after: .seconds(1)) { again() }
    loop.advance(by: .seconds(1))
    #expect(depth == 5)
  }

  @Test("an endOfTurn closure runs once, after the turn's other work")
  func endOfTurn() {
    let loop = EventLoop.manual()
    var seen: [String] = []
    let record = LoopBound(Record { seen.append("work \($0)") }, on: loop)
    loop.endOfTurn { seen.append("end") }
    loop.execute { record.value.add(1) }
    loop.execute { record.value.add(2) }
    loop.runUntilIdle()
    loop.runUntilIdle()
    #expect(seen == ["work 1", "work 2", "end"])
  }
}

private final class Record {
  private let body: (Int) -> Void
  init(_ body: @escaping (Int) -> Void) { self.body = body }
  func add(_ number: Int) { body(number) }
}
