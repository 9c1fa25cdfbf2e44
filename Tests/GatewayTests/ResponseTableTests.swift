import Gateway
import HTTP
import Requirements
import Testing
import Time

@Suite("The table of cached responses")
struct ResponseTableTests {
  private static let key = Array("a question".utf8)

  private static func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  /// A response cached for 250 ms.
  private static func answer(
    _ text: String = "old", bytes: Int? = nil, askedAt milliseconds: Int64 = 0, change: UInt64 = 0
  ) -> CachedResponse {
    let body = bytes.map { [UInt8](repeating: 0x61, count: $0) } ?? Array(text.utf8)
    return CachedResponse(
      ResponseHead(.ok, contentLength: UInt64(body.count)), body, askedAt: at(milliseconds),
      change: change, keptFor: .milliseconds(250))
  }

  private static func table(bytesMax: Int = 1 << 20, _ answer: CachedResponse) -> ResponseTable {
    var table = ResponseTable(bytesMax: bytesMax)
    table.keep(answer, for: key)
    return table
  }

  /// The text of the cached response, if found.
  private static func given(
    _ table: inout ResponseTable, _ asked: [UInt8] = key, at milliseconds: Int64,
    change: UInt64 = 0
  ) -> String? {
    table.find(asked, change: change, at: at(milliseconds)).map {
      String(decoding: $0.body, as: UTF8.self)
    }
  }

  @Test("a fresh response is returned to all requests with its key, and to no others")
  func fresh() {
    var table = Self.table(Self.answer())
    for moment in [0, 1, 249] as [Int64] {
      #expect(Self.given(&table, at: moment) == "old")
    }
    #expect(Self.given(&table, Array("another".utf8), at: 1) == nil)
    #expect(Self.given(&table, at: 500) == nil)
    #expect(table.bytes == 0)
  }

  @Test("the first request for a stale response refreshes it, the others receive the old one")
  func refreshed() {
    var table = Self.table(Self.answer())
    #expect(Self.given(&table, at: 250) == nil)
    #expect(Self.given(&table, at: 251) == "old")
    #expect(Self.given(&table, at: 499) == "old")
    table.keep(Self.answer("new", askedAt: 250), for: Self.key)
    #expect(Self.given(&table, at: 499) == "new")
    #expect(Self.given(&table, at: 500) == nil)
    #expect(Self.given(&table, at: 501) == "new")
  }

  @Test("a failed refresh removes a response, which otherwise ends after twice its lifetime")
  func failed() {
    var table = Self.table(Self.answer())
    #expect(Self.given(&table, at: 250) == nil)
    table.drop(Self.key, askedAt: Self.at(250))
    #expect(Self.given(&table, at: 251) == nil)
    var late = Self.table(Self.answer())
    #expect(Self.given(&late, at: 250) == nil)
    #expect(Self.given(&late, at: 500) == nil)
    #expect(late.bytes == 0)
  }

  @Test("a change invalidates a response, also while it is being refreshed")
  func changed() {
    var table = Self.table(Self.answer())
    #expect(Self.given(&table, at: 1, change: 1) == nil)
    #expect(table.bytes == 0)
    var stale = Self.table(Self.answer())
    #expect(Self.given(&stale, at: 250) == nil)
    #expect(Self.given(&stale, at: 251, change: 1) == nil)
  }

  @Test("a response requested earlier neither replaces nor drops a later one")
  func overtaken() {
    var table = Self.table(Self.answer("later", askedAt: 10))
    table.keep(Self.answer("earlier", askedAt: 5), for: Self.key)
    table.drop(Self.key, askedAt: Self.at(5))
    #expect(Self.given(&table, at: 11) == "later")
  }

  @Test(
    "a flood of keys stays within the limit, and a popular response is soon cached again")
  func flood() {
    let bytesMax = 1 << 20
    var table = Self.table(bytesMax: bytesMax, Self.answer(bytes: 10_000))
    var missed = 0
    for number in 0..<10_000 {
      table.keep(Self.answer(bytes: 10_000), for: Array("flood \(number)".utf8))
      #expect(table.bytes <= bytesMax)
      if Self.given(&table, at: 1) == nil {
        missed += 1
        table.keep(Self.answer(bytes: 10_000), for: Self.key)
      }
      #expect(Self.given(&table, at: 1) != nil)
    }
    // It is evicted each time two generations are filled, with about fifty responses each.
    #expect(missed < 10_000 / 50)
  }

  @Test("a response that is not requested is removed after two generations")
  func aged() {
    var table = Self.table(Self.answer())
    table.age()
    #expect(Self.given(&table, at: 1) == "old")
    table.age()
    #expect(table.bytes == 0)
  }
}

@Suite("Cache keys")
struct CacheKeyTests {
  private static func key(
    _ target: String = "/t4r/active/list?name=a", fields: [(String, String)] = [],
    body: String = ""
  ) -> [UInt8]? {
    CacheKey.bytes(
      of: TestGateway.head(.get, target, fields: fields), body: Array(body.utf8))
  }

  @Test("the same target, body and accept fields have the same key for all clients")
  func same() {
    let fields = [("accept", "application/json"), ("accept-language", "it")]
    let more = fields + [("user-agent", "a phone"), ("x-forwarded-for", "192.0.2.1")]
    #expect(Self.key(fields: fields) != nil)
    #expect(Self.key(fields: fields) == Self.key(fields: more))
  }

  @Test("another target, body or accept field has another key")
  func different() {
    let keys = [
      Self.key(), Self.key("/t4r/active/list?name=b"), Self.key(body: "a"),
      Self.key(body: "b"), Self.key(fields: [("accept", "a")]),
      Self.key(fields: [("accept-language", "a")]),
      Self.key(fields: [("accept-encoding", "a")]),
      Self.key(fields: [("accept", "a"), ("accept", "b")]),
      Self.key(fields: [("accept", "a, b")]),
      // Bytes of one part must not count as part of another.
      Self.key("/t4r/active/list?name=aa"),
    ]
    #expect(keys.allSatisfy { $0 != nil })
    #expect(Set(keys).count == keys.count)
  }

  @Test(
    "requests with a token, range, condition or cache directive have no key",
    arguments: [
      "authorization", "range", "if-none-match", "if-modified-since", "if-match", "cache-control",
    ])
  func ordinary(_ name: String) {
    #expect(Self.key(fields: [(name, "x")]) == nil)
  }

  @Test("keys are limited in bytes")
  func long() throws {
    let shortest = try #require(Self.key()).count
    let rest = String(repeating: "a", count: CacheKey.bytesMax - shortest)
    #expect(Self.key(body: rest)?.count == CacheKey.bytesMax)
    #expect(Self.key(body: rest + "a") == nil)
  }
}
