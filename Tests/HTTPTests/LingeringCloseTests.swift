import HTTP
import Requirements
import Testing
import Time

@Suite("The wait of a closing connection for its peer", .tags(.GW_5))
struct LingeringCloseTests {
  private let start = MonotonicInstant.zero
  private let timeouts = HTTPTimeouts()

  private func close(_ unacknowledged: Int) -> LingeringClose {
    LingeringClose(timeouts, unacknowledged: unacknowledged, at: start)
  }

  @Test("a silent peer has until everything is acknowledged")
  func silent() {
    var close = close(1)
    #expect(close.check(1, hasSent: false, at: start + .seconds(2)) == .waiting)
    #expect(close.check(0, hasSent: false, at: start + .seconds(4)) == .received)
  }

  @Test("a peer that takes nothing has the write time-out")
  func stalled() {
    var close = close(100_000)
    let end = start + timeouts.write
    #expect(close.check(100_000, hasSent: true, at: end + .nanoseconds(-1)) == .waiting)
    #expect(close.check(100_000, hasSent: true, at: end) == .stalled)
  }

  @Test("the minimum rate restarts the time, one byte less does not")
  func rate() {
    for (taken, state) in [
      (timeouts.takenBytesMin, LingeringClose.State.waiting),
      (timeouts.takenBytesMin - 1, .stalled),
    ] {
      var close = close(100_000)
      let end = start + timeouts.write
      _ = close.check(100_000 - taken, hasSent: true, at: end + .seconds(-1))
      #expect(close.check(100_000 - taken, hasSent: true, at: end) == state)
    }
  }

  @Test("a peer that sends has the time once more after the last byte")
  func reading() {
    var close = close(1)
    #expect(close.check(0, hasSent: true, at: start + .seconds(2)) == .waiting)
    let end = start + .seconds(2) + timeouts.write
    #expect(close.check(0, hasSent: true, at: end + .nanoseconds(-1)) == .waiting)
    #expect(close.check(0, hasSent: true, at: end) == .received)
  }
}
