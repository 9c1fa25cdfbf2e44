import EventLoop
import Gateway
import HTTP
import Requirements
import Testing

@Suite("The response cache of a loop")
struct ResponseCacheTests {
  private static let key = Array("a question".utf8)
  private static let keptFor = Duration.milliseconds(250)

  private let loop = EventLoop.manual()
  private let changes = ChangeCounter()
  private let cache: ResponseCache

  init() {
    cache = ResponseCache(changes, keptForMax: Self.keptFor, on: loop)
  }

  private func find(_ key: [UInt8] = key) -> (answer: CachedResponse?, fill: CacheFill?) {
    switch cache.find(key, keptFor: Self.keptFor) {
    case .answer(let answer): (answer, nil)
    case .fill(let fill): (nil, fill)
    }
  }

  private func fill() throws -> CacheFill { try #require(find().fill) }

  private func answer() -> String? {
    find().answer.map { String(decoding: $0.body, as: UTF8.self) }
  }

  private static func head(
    _ bytes: Int?, _ status: HTTPStatus = .ok, _ fields: [(FieldName, String)] = []
  ) -> ResponseHead {
    var head = ResponseHead(status, contentLength: bytes.map { UInt64($0) })
    for (name, value) in fields { head.fields.append(name, value) }
    return head
  }

  /// Completes a fill with the response of a replica.
  private func give(_ text: String, to fill: CacheFill) {
    #expect(cache.begin(fill, Self.head(text.utf8.count)))
    fill.take(Array(text.utf8).span)
    cache.end(fill)
  }

  @Test("a complete response is reused, without the fields of a single request")
  func whole() throws {
    let fill = try fill()
    let head = Self.head(
      4, .ok, [(.contentType, "text/plain"), (.date, "x"), (.requestID, "x"), (.server, "x")])
    #expect(cache.begin(fill, head))
    fill.take(Array("wh".utf8).span)
    #expect(find().answer == nil)
    fill.take(Array("le".utf8).span)
    cache.end(fill)
    #expect(answer() == "whle")
    let kept = try #require(find().answer)
    #expect(kept.head.fields.count == 1)
    #expect(kept.head.fields[.contentType] == "text/plain")
    #expect(kept.head.contentLength == 4)
  }

  @Test("an incomplete response is not cached, and removes the response it was to replace")
  func brokenOff() throws {
    give("old", to: try fill())
    loop.advance(by: .milliseconds(251))
    let fill = try fill()
    #expect(answer() == "old")
    #expect(cache.begin(fill, Self.head(3)))
    fill.take(Array("ne".utf8).span)
    cache.end(fill)
    #expect(find().answer == nil)
  }

  @Test("only a success of known length without cache directives is cached")
  func unsuitable() throws {
    let heads = [
      Self.head(3, .notFound), Self.head(3, .tooManyRequests), Self.head(3, .notModified),
      Self.head(nil), Self.head(0), Self.head(CachedResponse.bodyBytesMax + 1),
      Self.head(3, .ok, [(.cacheControl, "no-store")]),
      Self.head(3, .ok, [(.cacheControl, "private")]), Self.head(3, .ok, [(.setCookie, "a=b")]),
      Self.head(3, .ok, [(.vary, "accept-language")]),
    ]
    for head in heads { #expect(!cache.begin(try fill(), head)) }
    #expect(cache.begin(try fill(), Self.head(CachedResponse.bodyBytesMax)))
  }

  @Test("a change on any loop invalidates cached responses and fills started before it")
  func changed() throws {
    give("old", to: try fill())
    #expect(answer() == "old")
    changes.advance()
    let before = try fill()
    changes.advance()
    give("read before the change", to: before)
    #expect(find().answer == nil)
    give("new", to: try fill())
    #expect(answer() == "new")
  }

  @Test("one request refreshes a stale response, while others receive the old one")
  func refresh() throws {
    give("old", to: try fill())
    loop.advance(by: .milliseconds(250))
    let fill = try fill()
    for _ in 0..<3 { #expect(answer() == "old") }
    give("new", to: fill)
    #expect(answer() == "new")
  }

  @Test("large responses being filled have a limit, which does not affect small ones")
  func gathered() throws {
    let count = ResponseCache.gatheredBytesMax / CachedResponse.bodyBytesMax
    let head = Self.head(CachedResponse.bodyBytesMax)
    let fills = try (0..<count).map { _ in try fill() }
    for fill in fills { #expect(cache.begin(fill, head)) }
    let refused = try fill()
    #expect(!cache.begin(refused, head))
    cache.end(refused)
    #expect(cache.begin(try fill(), Self.head(ResponseCache.smallBytesMax)))
    for fill in fills { cache.end(fill) }
    #expect(cache.begin(try fill(), head))
  }

  @Test("a flood of keys fills the cache's space, and frees it afterwards")
  func flood() throws {
    let body = String(repeating: "a", count: 100_000)
    for number in 0..<1_000 {
      give(body, to: try #require(find(Array("question \(number)".utf8)).fill))
      #expect(cache.bytes <= ResponseCache.bytesMax)
    }
    #expect(cache.bytes > ResponseCache.bytesMax / 4)
    loop.advance(by: Self.keptFor * 4)
    #expect(cache.bytes == 0)
  }
}
