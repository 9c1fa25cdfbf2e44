import CLinux
import EventLoop
import Support
import Testing

@Suite("The loop on its thread")
struct ThreadedLoopTests {
  @Test("a task that prefers the loop runs on it, also after waiting")
  func taskStaysOnLoop() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let places = try await Task(executorPreference: loop) {
      let before = loop.isCurrent
      try await loop.wait(for: .milliseconds(1))
      return [before, loop.isCurrent]
    }.value
    #expect(places == [true, true])
    #expect(!loop.isCurrent)
  }

  @Test("work queued from many threads runs, each closure once")
  func manyThreads() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let total = LoopBound(Total(), on: loop)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1000 { loop.execute { total.value.count += 1 } } }
      }
    }
    let count = await Task(executorPreference: loop) { total.value.count }.value
    #expect(count == 8000)
  }

  private func connectedSockets() throws -> (Int32, Int32) {
    var pair: [Int32] = [0, 0]
    try #require(
      unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
        == 0)
    return (pair[0], pair[1])
  }

  @Test("a descriptor's handler receives data and hang-up events, and none once cancelled")
  func readiness() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let (ours, theirs) = try connectedSockets()
    let heard = AsyncStream.makeStream(of: Readiness.self)
    let registration = try await Task(executorPreference: loop) {
      let listener = Listener { heard.continuation.yield($0) }
      return LoopBound(try loop.register(ours, listener), on: loop)
    }.value
    var events = heard.stream.makeAsyncIterator()
    #expect(await events.next() == .writable)
    _ = unsafe write(theirs, "x", 1)
    #expect(await events.next()?.contains(.readable) == true)
    close(theirs)
    #expect(await events.next()?.contains(.hangup) == true)
    await Task(executorPreference: loop) { registration.value.cancel() }.value
    close(ours)
  }

  @Test("a handler that waits for data is not called because it could write")
  func readingOnly() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let (ours, theirs) = try connectedSockets()
    let heard = AsyncStream.makeStream(of: Readiness.self)
    let registration = try await Task(executorPreference: loop) {
      let listener = Listener { heard.continuation.yield($0) }
      return LoopBound(try loop.register(ours, for: .readable, listener), on: loop)
    }.value
    // The registration is reported in a turn before this task's second one.
    try await Task(executorPreference: loop) { try await loop.wait(for: .milliseconds(1)) }.value
    _ = unsafe write(theirs, "x", 1)
    var events = heard.stream.makeAsyncIterator()
    #expect(await events.next() == .readable)
    // Once it also waits for room, that is reported, since it holds already.
    try await Task(executorPreference: loop) { try registration.value.watch(.writable) }.value
    #expect(await events.next()?.contains(.writable) == true)
    await Task(executorPreference: loop) { registration.value.cancel() }.value
    close(theirs)
    close(ours)
  }

  @Test("a timer that reschedules itself without delay does not starve other work")
  func restlessTimer() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let restless = LoopBound(Restless(loop), on: loop)
    loop.execute { restless.value.fire() }
    await Task(executorPreference: loop) { restless.value.isOver = true }.value
  }

  @Test("a wait ends immediately when the task is cancelled")
  func cancelledWait() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let task = Task(executorPreference: loop) { try await loop.wait(for: .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private final class Fired {
    var isFired = false
  }

  @Test("between two pieces of work in different turns, due timers fire")
  func nextTurn() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let isFired = await Task(executorPreference: loop) {
      let timer = Fired()
      loop.schedule(after: .zero) { timer.isFired = true }
      await loop.nextTurn()
      return timer.isFired
    }.value
    #expect(isFired)
  }
}

@Suite("The pool for blocking work")
struct BlockingPoolTests {
  @Test("work runs outside the caller's loop, and its result returns to the loop")
  func outcome() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let pool = try BlockingPool(name: "test", threads: 2, queueMax: 4)
    let (wasOff, isBack) = try await Task(executorPreference: loop) {
      let wasOn = try await pool.run { loop.isCurrent }.get()
      return (!wasOn, loop.isCurrent)
    }.value
    #expect(wasOff && isBack)
  }

  @Test("an error of the work is rethrown, and not reported as an error of the pool")
  func failure() async throws {
    let pool = try BlockingPool(name: "test", threads: 1, queueMax: 4)
    let outcome = try await pool.run { () throws(SystemError) -> Int in
      throw SystemError(call: "open", code: 2)
    }
    #expect(throws: SystemError(call: "open", code: 2)) { try outcome.get() }
  }

  @Test("a pool with a full queue refuses work immediately, and accepts work again later")
  func queueFull() async throws {
    let pool = try BlockingPool(name: "test", threads: 1, queueMax: 1)
    var gate: [Int32] = [0, 0]
    try #require(unsafe pipe(&gate) == 0)
    let (gateOut, gateIn) = (gate[0], gate[1])
    let started = AsyncStream.makeStream(of: Void.self)
    let running = Task {
      try await pool.run {
        started.continuation.yield()
        var byte: UInt8 = 0
        _ = unsafe read(gateOut, &byte, 1)
      }.get()
    }
    for await _ in started.stream { break }
    let waiting = Task { try await pool.run { 7 }.get() }
    try await eventually("queued work") { pool.queuedCount >= 1 }
    await #expect(throws: BlockingPoolError.queueFull) { try await pool.run { 8 }.get() }
    _ = unsafe write(gateIn, "x", 1)
    try await running.value
    #expect(try await waiting.value == 7)
    close(gateOut)
    close(gateIn)
  }
}

private final class Total { var count = 0 }

private final class Restless {
  private unowned let loop: EventLoop
  var isOver = false

  init(_ loop: EventLoop) { self.loop = loop }

  func fire() {
    if !isOver { loop.schedule(after: .zero) { [self] in fire() } }
  }
}

private final class Listener: ReadinessHandler {
  private let body: @Sendable (Readiness) -> Void
  init(_ body: @escaping @Sendable (Readiness) -> Void) { self.body = body }
  func ready(_ readiness: Readiness) { body(readiness) }
}
