import FuzzTargets
import HTTP
import Requirements
import Testing

@Suite("The limits of the request parser", .tags(.GW_5))
struct RequestLimitTests {
  private func failure(_ text: String, _ limits: HTTPLimits = HTTPLimits()) -> HTTP1Error? {
    var harness = ParserHarness(limits: limits)
    harness.feed(text.utf8)
    return harness.failure
  }

  private func head(bytes: Int) -> String {
    let frame = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
    let filler = String(repeating: "x", count: bytes - frame.utf8.count)
    return "GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n"
  }

  @Test("a head of 32 KiB is read, one byte more is answered with 431")
  func headBytes() {
    let limit = HTTPLimits().headBytesMax
    #expect(limit == 32 * 1024)
    #expect(failure(head(bytes: limit)) == nil)
    #expect(failure(head(bytes: limit + 1)) == .headTooLarge)
    #expect(failure(String(head(bytes: limit + 400).prefix(limit + 300))) == .headTooLarge)
    #expect(HTTP1Error.headTooLarge.status == .fieldsTooLarge)
  }

  @Test("a hundred fields are read, one more is answered with 431")
  func fields() {
    let limit = HTTPLimits().fieldsMax
    let text = { (count: Int) in
      "GET / HTTP/1.1\r\nHost: a\r\n"
        + String(repeating: "X: y\r\n", count: count - 1) + "\r\n"
    }
    #expect(failure(text(limit)) == nil)
    #expect(failure(text(limit + 1)) == .tooManyFields)
    #expect(HTTP1Error.tooManyFields.status == .fieldsTooLarge)
  }

  @Test("a target of 8 KiB is read, one byte more is answered with 414")
  func target() {
    let limit = HTTPLimits().targetBytesMax
    let text = { (count: Int) in
      "GET /\(String(repeating: "x", count: count - 1)) HTTP/1.1\r\nHost: a\r\n\r\n"
    }
    #expect(failure(text(limit)) == nil)
    #expect(failure(text(limit + 1)) == .targetTooLong)
    #expect(failure(String(text(limit + 200).prefix(limit + 100))) == .targetTooLong)
    #expect(HTTP1Error.targetTooLong.status == .targetTooLong)
  }

  @Test("a body at the limit is read, one byte more is 413, with a length or chunked")
  func body() {
    var limits = HTTPLimits()
    limits.bodyBytesMax = 10
    let start = "POST / HTTP/1.1\r\nHost: a\r\n"
    let chunked = start + "Transfer-Encoding: chunked\r\n\r\n"
    #expect(failure(start + "Content-Length: 10\r\n\r\n", limits) == nil)
    #expect(failure(start + "Content-Length: 11\r\n\r\n", limits) == .bodyTooLarge)
    #expect(failure(chunked + "5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n", limits) == nil)
    #expect(failure(chunked + "5\r\nabcde\r\n6\r\nabcdef\r\n", limits) == .bodyTooLarge)
    #expect(HTTP1Error.bodyTooLarge.status == .contentTooLarge)
  }

  @Test("chunk extensions and trailers are limited")
  func chunks() {
    let limits = HTTPLimits()
    let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let line = { (count: Int) in "1;\(String(repeating: "x", count: count - 2))\r\na\r\n" }
    #expect(failure(start + line(limits.chunkLineBytesMax)) == nil)
    #expect(failure(start + line(limits.chunkLineBytesMax + 1)) == .malformedChunk)
    let lines = String(repeating: line(130), count: limits.chunkExtensionBytesMax / 128)
    #expect(failure(start + lines) == nil)
    #expect(failure(start + lines + line(3)) == .malformedChunk)
    let trailer = { (count: Int) in
      "0\r\nX:\(String(repeating: "x", count: count - 6))\r\n\r\n"
    }
    #expect(failure(start + trailer(limits.trailerBytesMax)) == nil)
    #expect(failure(start + trailer(limits.trailerBytesMax + 1)) == .malformedChunk)
  }
}
