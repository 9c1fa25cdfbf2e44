import Gateway
import Requirements
import Testing

/// `#expect` can't evaluate mutating expressions.
private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: place)
}

private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

@Suite("The body of a request")
struct RequestBodyTests {
  @Test("an ignored body is dropped, and the request is forwarded without a body", .tags(.GW_1))
  func ignored() {
    var body = RequestBody.ignored
    holds(body.take(bytes(5).span) == .nothing)
    holds(body.end() == .nothing)
    #expect(body.count == 0)
    #expect(body.opening.isWhole)
  }

  @Test("a collected body is checked once, when it is complete", .tags(.GW_2))
  func collected() {
    var body = RequestBody.collecting([])
    holds(body.take([1, 2].span) == .nothing)
    #expect(!body.opening.isWhole)
    holds(body.take([3].span) == .nothing)
    holds(body.end() == .check([1, 2, 3]))
    holds(body.end() == .nothing)
    #expect(body.count == 3)
    #expect(body.opening.bytes == [1, 2, 3])
    #expect(body.opening.isWhole)
  }

  @Test("a collected body may reach its limit, but not exceed it", .tags(.GW_5))
  func collectedLimit() {
    var body = RequestBody.collecting([])
    holds(body.take(bytes(BodyPhase.collectedBytesMax).span) == .nothing)
    holds(
      body.take([1].span) == .tooLarge(bytesMax: UInt64(BodyPhase.collectedBytesMax)))
  }

  @Test("a stream may reach its limit, but not exceed it", .tags(.GW_5))
  func streamLimit() {
    var body = RequestBody.streamed(StreamedBody(bytesMax: 10, isEmpty: false))
    holds(body.take(bytes(10).span) == .passOn)
    holds(body.take([1].span) == .tooLarge(bytesMax: 10))
  }

  @Test("a stream can be retried only while it is buffered completely", .tags(.GW_1))
  func keeping() {
    var body = RequestBody.streamed(StreamedBody(bytesMax: 1 << 30, isEmpty: false))
    holds(body.take(bytes(StreamedBody.keptBytesMax).span) == .passOn)
    #expect(body.isKept)
    #expect(body.opening.bytes.count == StreamedBody.keptBytesMax)
    holds(body.take([1].span) == .passOn)
    #expect(!body.isKept)
    #expect(body.opening.bytes.isEmpty)
    #expect(body.count == nil)
  }

  @Test("a stream is not buffered after its response began", .tags(.GW_1))
  func forgetting() {
    var body = RequestBody.streamed(StreamedBody(bytesMax: 10, isEmpty: false))
    _ = body.take([1].span)
    body.forget()
    #expect(!body.isKept)
    holds(body.take([2].span) == .passOn)
    #expect(body.opening.bytes.isEmpty)
  }

  @Test("a stream begins held, is released once, and is not held after its end", .tags(.GW_1))
  func holding() {
    var body = RequestBody.streamed(StreamedBody(bytesMax: 10, isEmpty: false))
    holds(!body.hold())
    holds(body.release())
    holds(!body.release())
    holds(body.hold())
    holds(body.release())
    holds(body.end() == .passOn)
    #expect(body.opening.isWhole)
    holds(!body.hold())
    holds(!body.release())
  }

  @Test("an empty stream has ended from the start")
  func empty() {
    var body = RequestBody.streamed(StreamedBody(bytesMax: 10, isEmpty: true))
    #expect(body.opening.isWhole)
    holds(!body.release())
  }
}
