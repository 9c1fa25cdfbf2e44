import CLinux
import EventLoop
import Support
import Testing
import Time

@Suite("Polling before a loop sleeps")
struct BusyPollingTests {
  /// A loop that handled `events`, each `interval` nanoseconds after the one before.
  private func polling(after events: [Int], interval: Int64) -> BusyPolling {
    var polling = BusyPolling()
    var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    for count in events {
      now = MonotonicInstant(nanoseconds: now.nanoseconds + interval)
      polling.note(events: count, at: now)
    }
    return polling
  }

  @Test("a loop polls after eight single events that follow each other closely")
  func closeEvents() {
    let ones = Array(repeating: 1, count: 20)
    // The first one follows nothing.
    #expect(!polling(after: Array(ones.prefix(8)), interval: 100_000).isWorthwhile)
    #expect(polling(after: Array(ones.prefix(9)), interval: 100_000).isWorthwhile)
    #expect(polling(after: ones, interval: 100_000).isWorthwhile)
    #expect(!polling(after: ones, interval: 100_001).isWorthwhile)
  }

  @Test("several events at a time, none or a longer interval end it", arguments: [0, 2])
  func otherEvents(count: Int) {
    let ones = Array(repeating: 1, count: 20)
    #expect(!polling(after: ones + [count], interval: 10_000).isWorthwhile)
    #expect(!polling(after: ones + [count] + ones.prefix(7), interval: 10_000).isWorthwhile)
    #expect(polling(after: ones + [count] + ones.prefix(8), interval: 10_000).isWorthwhile)
    var late = polling(after: ones, interval: 10_000)
    late.note(events: 1, at: MonotonicInstant(nanoseconds: 2_000_000_000))
    #expect(!late.isWorthwhile)
  }

  @Test("a loop that polls answers each message, and work of other threads wakes it up")
  func answers() async throws {
    let loop = try EventLoop.start(name: "test", polls: true)
    defer { loop.stop() }
    var pair: [Int32] = [0, 0]
    // Blocking, so that each message of the test follows the answer to the one before at once.
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let (ours, theirs) = (pair[0], pair[1])
    let registration = try await Task(executorPreference: loop) {
      LoopBound(try loop.register(ours, for: .readable, Echo(ours)), on: loop)
    }.value
    for sent in 0..<1000 {
      var byte = UInt8(truncatingIfNeeded: sent)
      #expect(unsafe write(theirs, &byte, 1) == 1)
      var answer: UInt8 = 0
      #expect(unsafe read(theirs, &answer, 1) == 1)
      #expect(answer == byte)
      if sent % 100 == 0 {
        #expect(await Task(executorPreference: loop) { loop.isCurrent }.value)
      }
    }
    await Task(executorPreference: loop) { registration.value.cancel() }.value
    close(theirs)
    close(ours)
  }
}

private final class Echo: ReadinessHandler {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  func ready(_ readiness: Readiness) {
    var byte: UInt8 = 0
    while unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 1 {
      _ = unsafe write(descriptor, &byte, 1)
    }
  }
}
