import HTTP
import Requirements
import Testing
import Time

@Suite("The rate at which a response is taken", .tags(.GW_5))
struct OutputProgressTests {
  private let start = MonotonicInstant.zero
  /// Bytes that count as taken from the beginning.
  private let allowance = 4096.0

  @Test("a response has no rate until its bytes have waited for two seconds")
  func fresh() {
    let progress = OutputProgress(at: start, taken: 0)
    #expect(OutputProgress.freshMax == .seconds(2))
    #expect(progress.rate(at: start, taken: 0) == nil)
    let fresh = start + .seconds(2)
    #expect(progress.rate(at: fresh + .nanoseconds(-1), taken: 1_000_000) == nil)
    #expect(progress.rate(at: fresh, taken: 0) == allowance / 2)
  }

  @Test("the rate counts the bytes taken since bytes began to wait")
  func rate() {
    let later = start + .seconds(100)
    let progress = OutputProgress(at: later, taken: 1_000_000)
    #expect(progress.rate(at: later + .seconds(4), taken: 1_008_000) == (8000 + allowance) / 4)
  }

  @Test("an untaken response ranks lower the longer it waits")
  func untaken() {
    let progress = OutputProgress(at: start, taken: 0)
    #expect(progress.rate(at: start + .seconds(4), taken: 0) == allowance / 4)
    #expect(progress.rate(at: start + .seconds(8), taken: 0) == allowance / 8)
  }

  @Test("after a minute the older half of the time and of the bytes no longer counts")
  func shortened() {
    let progress = OutputProgress(at: start, taken: 1000)
    let minute = start + .seconds(60)
    let end = start + .seconds(90)
    let unchanged = progress.shortened(at: minute + .nanoseconds(-1), taken: 601_000)
    #expect(unchanged.rate(at: end, taken: 601_000) == (600_000 + allowance) / 90)
    let shortened = progress.shortened(at: minute, taken: 601_000)
    #expect(shortened.rate(at: minute, taken: 601_000) == (300_000 + allowance) / 30)
    #expect(shortened.rate(at: end, taken: 601_000) == (300_000 + allowance) / 60)
  }
}
