import Gateway
import HTTP
import PublicAPI
import Requirements
import Testing
import Time

private func key(_ number: UInt64) -> BucketKey { BucketKey(high: 9, low: number) }

/// `#expect` can't evaluate mutating expressions.
private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: place)
}

private func instant(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

@Suite("Rate limits", .tags(.GW_5))
struct LimitTests {
  @Test("a full burst is admitted at once, another request only after the pause")
  func burst() {
    var table = BucketTable(RateLimit(burst: 3, perSecond: 10), capacity: 64)
    for _ in 0..<3 { holds(table.take(key(1), at: instant(0)) == nil) }
    holds(table.take(key(1), at: instant(0)) == .milliseconds(100))
    holds(table.take(key(1), at: instant(99)) == .milliseconds(1))
    holds(table.take(key(1), at: instant(100)) == nil)
    holds(table.take(key(1), at: instant(100)) != nil)
    holds(table.take(key(2), at: instant(100)) == nil)
  }

  @Test("a bucket never exceeds its burst")
  func full() {
    var table = BucketTable(RateLimit(burst: 2, perSecond: 10), capacity: 64)
    holds(table.take(key(1), at: instant(0)) == nil)
    for _ in 0..<2 { holds(table.take(key(1), at: instant(60_000)) == nil) }
    holds(table.take(key(1), at: instant(60_000)) != nil)
  }

  @Test("a table of 1024 buckets still admits clients after 100,000 others")
  func bounded() {
    var table = BucketTable(RateLimit(burst: 1, perSecond: 1), capacity: 1024)
    holds(table.take(key(0), at: instant(0)) == nil)
    holds(table.take(key(0), at: instant(1)) != nil)
    for number in 1...100_000 { _ = table.take(key(UInt64(number)), at: instant(2)) }
    holds(table.take(key(200_000), at: instant(5000)) == nil)
  }

  @Test("guarded endpoints have much lower limits, by address")
  func guarded() {
    let limits = RateLimits()
    let peer = PeerAddress.ipv4(0x7F00_0001, port: 1)
    let login = Endpoint.Rate.guarded
    for _ in 0..<RateLimits.guarded.burst {
      #expect(refusal(peer, login, limits) == nil)
    }
    let refused = refusal(.ipv4(0x7F00_0001, port: 2), login, limits)
    #expect(refused?.status == .tooManyRequests)
    #expect(refused?.fields[.retryAfter] == "2")
    #expect(refusal(peer, .ordinary, limits) == nil)
    #expect(refusal(.ipv4(0x7F00_0002, port: 1), login, limits) == nil)
    #expect(refusal(peer, login, nil) == nil)
  }

  @Test("an IPv6 client is identified by its /64 network")
  func network() {
    let limits = RateLimits(guarded: RateLimit(burst: 1, perSecond: 1))
    #expect(refusal(.ipv6(5, 1, port: 1), .guarded, limits) == nil)
    #expect(refusal(.ipv6(5, 2, port: 1), .guarded, limits) != nil)
    #expect(refusal(.ipv6(6, 1, port: 1), .guarded, limits) == nil)
  }

  @Test("an account is limited across addresses")
  func account() {
    let limits = RateLimits(account: RateLimit(burst: 1, perSecond: 1))
    #expect(throws: Never.self) { try AdmitPhase.byAccount(1, .ordinary, at: instant(0), limits) }
    #expect(throws: Problem.tooManyRequests(retryAfter: 1)) {
      try AdmitPhase.byAccount(1, .ordinary, at: instant(0), limits)
    }
    #expect(throws: Never.self) { try AdmitPhase.byAccount(2, .ordinary, at: instant(0), limits) }
  }

  @Test("searches by name have much lower limits, by account")
  func searches() {
    let limits = RateLimits()
    for _ in 0..<RateLimits.searches.burst {
      #expect(throws: Never.self) { try AdmitPhase.byAccount(1, .searches, at: instant(0), limits) }
    }
    #expect(throws: Problem.tooManyRequests(retryAfter: 2)) {
      try AdmitPhase.byAccount(1, .searches, at: instant(0), limits)
    }
    #expect(throws: Never.self) { try AdmitPhase.byAccount(1, .ordinary, at: instant(0), limits) }
    #expect(throws: Never.self) { try AdmitPhase.byAccount(2, .searches, at: instant(0), limits) }
    #expect(throws: Never.self) {
      try AdmitPhase.byAccount(1, .searches, at: instant(2000), limits)
    }
  }

  @Test("alarms are counted separately, so that no other request exhausts their limit")
  func alarms() {
    let one = RateLimit(burst: 1, perSecond: 1)
    let limits = RateLimits(address: one, account: one)
    let peer = PeerAddress.ipv4(0x7F00_0001, port: 1)
    #expect(refusal(peer, .ordinary, limits) == nil)
    #expect(refusal(peer, .ordinary, limits)?.status == .tooManyRequests)
    #expect(refusal(peer, .alarms, limits) == nil)
    #expect(refusal(peer, .alarms, limits)?.status == .tooManyRequests)
    #expect(throws: Never.self) { try AdmitPhase.byAccount(1, .ordinary, at: instant(0), limits) }
    #expect(throws: Never.self) { try AdmitPhase.byAccount(1, .alarms, at: instant(0), limits) }
    #expect(throws: Problem.tooManyRequests(retryAfter: 1)) {
      try AdmitPhase.byAccount(1, .alarms, at: instant(0), limits)
    }
  }

  private func refusal(
    _ peer: PeerAddress, _ rate: Endpoint.Rate, _ limits: RateLimits?
  ) -> Problem? {
    do throws(Problem) {
      try AdmitPhase.byAddress(peer, rate, at: instant(0), limits)
      return nil
    } catch {
      return error
    }
  }
}
