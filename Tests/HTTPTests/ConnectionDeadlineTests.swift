import HTTP
import Requirements
import Testing
import Time

@Suite("The deadlines of a connection", .tags(.GW_5))
struct ConnectionDeadlineTests {
  let start = MonotonicInstant.zero

  @Test("each phase has its time-out, and answering has none")
  func phases() {
    let timeouts = HTTPTimeouts()
    for (phase, limit) in [
      (ConnectionPhase.handshake, timeouts.handshake), (.idle, timeouts.idle),
      (.head, timeouts.head), (.body, timeouts.bodyIdle),
    ] {
      var deadline = ConnectionDeadline(Shared(timeouts))
      deadline.enter(phase, now: start)
      #expect(deadline.next == start + limit)
      #expect(deadline.expired(at: start + (limit - .nanoseconds(1))) == nil)
      #expect(deadline.expired(at: start + limit) == .phase(phase))
      deadline.enter(.answering, now: start)
      #expect(deadline.next == .never)
    }
  }

  @Test("the first request has its own time-out, later ones another")
  func firstRequest() {
    var timeouts = HTTPTimeouts()
    timeouts.firstRequest = .seconds(10)
    var deadline = ConnectionDeadline(Shared(timeouts))
    for phase in [ConnectionPhase.handshake, .idle] { deadline.enter(phase, now: start) }
    #expect(deadline.next == start + .seconds(10))
    for phase in [ConnectionPhase.head, .answering, .idle] { deadline.enter(phase, now: start) }
    #expect(deadline.next == start + timeouts.idle)
  }

  @Test("a body below the minimum rate times out even if every pause is short")
  func drip() {
    var deadline = ConnectionDeadline(Shared(HTTPTimeouts()))
    deadline.enter(.body, now: start)
    var now = start
    var seconds = 0
    while deadline.expired(at: now) == nil, seconds < 1000 {
      seconds += 10
      now = start + .seconds(seconds)
      deadline.bodyProgressed(1, now: now)
    }
    #expect(seconds <= 40)
  }

  @Test("a body at the minimum rate never times out")
  func leastRate() {
    let timeouts = HTTPTimeouts()
    var deadline = ConnectionDeadline(Shared(timeouts))
    deadline.enter(.body, now: start)
    for second in 1...10_000 {
      let now = start + .seconds(second)
      deadline.bodyProgressed(timeouts.bodyBytesPerSecondMin, now: now)
      #expect(deadline.expired(at: now) == nil)
    }
  }

  @Test("output that the client receives slowly from the kernel's buffer does not time out")
  func slowlyReceived() {
    var deadline = ConnectionDeadline(Shared(HTTPTimeouts()))
    let (start, write) = (MonotonicInstant.zero, HTTPTimeouts().write)
    let least = HTTPTimeouts().takenBytesMin
    deadline.outputProgressed(unacknowledged: 3 * least, now: start)
    #expect(deadline.expired(at: start + write) == .output)
    let isExtended = deadline.extendOutput(unacknowledged: 2 * least, now: start + write)
    #expect(isExtended)
    #expect(deadline.expired(at: start + write) == nil)
    #expect(deadline.expired(at: start + write + write) == .output)
    let isExtendedAgain = deadline.extendOutput(
      unacknowledged: least + 1, now: start + write + write)
    #expect(!isExtendedAgain)
  }

  @Test("bytes received while the kernel refuses output count from its first flush")
  func slowlyReceivedFromFirstFlush() {
    let timeouts = HTTPTimeouts()
    let (least, end) = (timeouts.takenBytesMin, start + timeouts.write)
    for (taken, isExtended) in [(least, true), (least - 1, false)] {
      var deadline = ConnectionDeadline(Shared(timeouts))
      deadline.outputWaits(now: start, progressed: false)
      deadline.outputRefused(unacknowledged: 2 * least)
      // More output is written meanwhile, and flushed in vain.
      deadline.outputWaits(now: start + .seconds(20), progressed: false)
      deadline.outputRefused(unacknowledged: 2 * least - taken)
      #expect(deadline.expired(at: end) == .output)
      let result = deadline.extendOutput(unacknowledged: 2 * least - taken, now: end)
      #expect(result == isExtended)
    }
  }

  @Test("bytes received before output was sent whole do not extend the time of later output")
  func emptiedBetween() {
    let timeouts = HTTPTimeouts()
    let least = timeouts.takenBytesMin
    var deadline = ConnectionDeadline(Shared(timeouts))
    deadline.outputWaits(now: start, progressed: false)
    deadline.outputProgressed(unacknowledged: 9 * least, now: start)
    deadline.outputEmptied()
    let later = start + .seconds(600)
    deadline.outputWaits(now: later, progressed: false)
    deadline.outputRefused(unacknowledged: least)
    let isExtended = deadline.extendOutput(unacknowledged: least, now: later + timeouts.write)
    #expect(!isExtended)
  }

  @Test("the first flush that leaves output counts its bytes, later ones do not")
  func countedOnce() {
    var deadline = ConnectionDeadline(Shared(HTTPTimeouts()))
    var counts = 0
    func count() -> Int {
      counts += 1
      return 1
    }
    for _ in 0..<3 { deadline.outputRefused(unacknowledged: count()) }
    #expect(counts == 1)
    deadline.outputEmptied()
    deadline.outputRefused(unacknowledged: count())
    #expect(counts == 2)
  }

  @Test("unread output has its own time-out")
  func output() {
    let timeouts = HTTPTimeouts()
    var deadline = ConnectionDeadline(Shared(timeouts))
    deadline.enter(.answering, now: start)
    deadline.outputWaits(now: start, progressed: false)
    let later = start + .seconds(20)
    deadline.outputWaits(now: later, progressed: false)
    #expect(deadline.next == start + timeouts.write)
    deadline.outputWaits(now: later, progressed: true)
    #expect(deadline.expired(at: start + timeouts.write) == nil)
    #expect(deadline.expired(at: later + timeouts.write) == .output)
    deadline.outputEmptied()
    #expect(deadline.next == .never)
  }
}

@Suite("The limits of a server's connections", .tags(.GW_5))
struct ConnectionLimitTests {
  @Test(
    "the connections fit into the descriptors of their process",
    arguments: [(Int.max, 20_000), (20_000, 20_000), (19_999, 19_999), (1, 1), (0, 1), (-300, 1)])
  func descriptors(_ descriptors: Int, _ connections: Int) {
    var limits = HTTPLimits()
    limits.limitConnections(descriptors: descriptors)
    #expect(limits.connectionsMax == connections)
  }
}
