import Gateway
import HTTP
import Requirements
import Testing
import Time

@Suite("Counting of polling spectators", .tags(.RUN_15))
struct SpectatorTests {
  private static let run = PolledRun.number(7)

  private static func time(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant.zero + .milliseconds(Int64(seconds * 1000))
  }

  private static func count(
    _ counts: SpectatorCounts, _ run: PolledRun = run, at now: MonotonicInstant
  ) -> Int {
    counts.current(at: now)[run]?.count(at: now) ?? 0
  }

  /// A key for which these addresses have different slots. Two addresses share a slot for one key
  /// in four thousand, and these keys differ between processes.
  private static func key(apart addresses: [PeerAddress]) -> SpectatorKey {
    var key = SpectatorKey(random: [0])
    for byte in 1...100 as ClosedRange<UInt8> {
      let counts = SpectatorCounts(key)
      for address in addresses { counts.note(run, from: address, at: time(5)) }
      if count(counts, at: time(5)) == addresses.count { break }
      key = SpectatorKey(random: [byte])
    }
    return key
  }

  @Test("an address counts once for any number of polls, until a minute after its last one")
  func window() {
    let counts = SpectatorCounts(Self.key(apart: [.ipv4(1, port: 1), .ipv4(2, port: 1)]))
    #expect(Self.count(counts, at: Self.time(10)) == 0)
    for second in [10.0, 10.5, 20, 30] {
      counts.note(Self.run, from: .ipv4(1, port: UInt16(second)), at: Self.time(second))
    }
    counts.note(Self.run, from: .ipv4(2, port: 1), at: Self.time(40))
    counts.note(.number(8), from: .ipv4(3, port: 1), at: Self.time(40))
    #expect(Self.count(counts, at: Self.time(40)) == 2)
    #expect(Self.count(counts, .number(8), at: Self.time(40)) == 1)
    #expect(Self.count(counts, at: Self.time(89.9)) == 2)
    #expect(Self.count(counts, at: Self.time(90)) == 1)
    #expect(Self.count(counts, at: Self.time(99.9)) == 1)
    #expect(Self.count(counts, at: Self.time(100)) == 0)
  }

  @Test("an IPv6 network counts once, an IPv4 client on a dual-stack socket by its address")
  func networks() {
    let network = PeerAddress.ipv6(0x2001_0db8_0000_0001, 0, port: 1)
    let counts = SpectatorCounts(Self.key(apart: [network, .ipv4(1, port: 1)]))
    let now = Self.time(5)
    for low in 1...50 as ClosedRange<UInt64> {
      counts.note(Self.run, from: .ipv6(0x2001_0db8_0000_0001, low << 40, port: 1), at: now)
    }
    #expect(Self.count(counts, at: now) == 1)
    counts.note(Self.run, from: .ipv6(0, 0xFFFF_0000_0001, port: 1), at: now)
    counts.note(Self.run, from: .ipv4(1, port: 1), at: now)
    #expect(Self.count(counts, at: now) == 2)
  }

  @Test("a few are counted exactly and many within 5 %", arguments: [1, 3, 10, 1_000, 10_000])
  func estimates(addresses: Int) {
    // A key exceeds the bounds with a probability of about 1 %, and it has other slots in every
    // process. The median of nine keys exceeds them less than once in ten million runs.
    let now = Self.time(5)
    var errors: [Int] = []
    for byte in 1...9 as ClosedRange<UInt8> {
      let counts = SpectatorCounts(SpectatorKey(random: [byte]))
      for address in 0..<addresses {
        counts.note(Self.run, from: .ipv4(UInt32(address) &* 2_654_435_761, port: 1), at: now)
      }
      errors.append(abs(Self.count(counts, at: now) - addresses))
    }
    errors.sort()
    #expect(errors[4] <= (addresses > 10 ? addresses / 20 : 0), "\(errors) of \(addresses)")
  }

  @Test("the estimate stays finite for any number of spectators")
  func full() {
    let counts = SpectatorCounts(SpectatorKey(random: [3]))
    let now = Self.time(5)
    for address in 0..<200_000 {
      counts.note(Self.run, from: .ipv4(UInt32(address), port: 1), at: now)
    }
    #expect((20_000...40_000).contains(Self.count(counts, at: now)))
  }

  @Test("the key changes every day, so that an address has another slot")
  func rotation() {
    let counts = SpectatorCounts(SpectatorKey(random: [3]))
    let midnight = 86_400.0
    var moved = 0
    for address in 0..<20 as Range<UInt32> {
      let run = PolledRun.number(Int64(address))
      counts.note(run, from: .ipv4(address, port: 1), at: Self.time(midnight - 1))
      counts.note(run, from: .ipv4(address, port: 1), at: Self.time(midnight))
      moved += Self.count(counts, run, at: Self.time(midnight)) == 2 ? 1 : 0
    }
    #expect(moved >= 18)
  }

  @Test("256 runs are counted at once, and the 257th replaces the one polled first")
  func runsMax() {
    let counts = SpectatorCounts(SpectatorKey(random: [3]))
    for run in 0..<256 {
      let time = Self.time(run == 0 ? 1 : 3 + Double(run) / 10)
      counts.note(.number(Int64(run)), from: .ipv4(1, port: 1), at: time)
    }
    let now = Self.time(30)
    #expect(counts.current(at: now).count == 256)
    counts.note(.number(999), from: .ipv4(1, port: 1), at: now)
    let current = counts.current(at: now)
    #expect(current.count == 256)
    #expect(current[.number(999)] != nil && current[.number(0)] == nil)
  }
}
