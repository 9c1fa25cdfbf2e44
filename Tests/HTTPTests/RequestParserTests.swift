import FuzzTargets
import HTTP
import Requirements
import Testing

@Suite("The HTTP/1.1 request parser", .tags(.GW_4))
struct RequestParserTests {
  /// Inputs and their events; parsed as a whole, byte by byte, and split at every position.
  static let good: [(text: String, events: [String])] = [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /", "end"]),
    ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /", "end"]),
    ("GET /a?b=c HTTP/1.1\r\nhOsT:a:80\r\nX-Y: \t z \t\r\n\r\n", ["GET /a?b=c", "end"]),
    ("OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", ["OPTIONS *", "end"]),
    ("GET http://a/b?c HTTP/1.1\r\nHost: A\r\n\r\n", ["GET /b?c", "end"]),
    ("GET http://a?c HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /?c", "end"]),
    ("OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS *", "end"]),
    ("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", ["BREW /pot", "end"]),
    ("GET / HTTP/1.0\r\n\r\n", ["GET / close", "end"]),
    ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", ["GET /", "end"]),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE\r\n\r\n", ["GET / close", "end"]),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: caf\u{e9}\r\n\r\n", ["GET /", "end"]),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", ["POST /", "end"]),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
      ["POST /", "body hello", "end", "GET /2", "end"]
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
        + "4\r\nWiki\r\n00A;name=\"v\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
        + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
      ["POST /", "body Wiki0123456789", "end", "GET /2", "end"]
    ),
    (
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      ["PUT /", "end"]
    ),
  ]

  @Test("valid input is parsed to the expected events", arguments: good)
  func accepts(_ text: String, _ events: [String]) {
    #expect(ParserHarness.events(text) == events)
  }

  @Test("the division into reads does not change the events", arguments: good)
  func splits(_ text: String, _ events: [String]) {
    let bytes = Array(text.utf8)
    var single = ParserHarness()
    for byte in bytes { single.feed([byte]) }
    #expect(single.events == events)
    for cut in 0...bytes.count {
      var harness = ParserHarness()
      harness.feed(bytes[..<cut])
      harness.feed(bytes[cut...])
      #expect(harness.events == events, "cut at \(cut)")
    }
  }

  /// Ambiguous or invalid input, and the error that refuses it.
  static let hostile: [(text: String, error: HTTP1Error)] = [
    ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .malformedStartLine),
    (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET /\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET /\u{7f} HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET / http/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("\(String(repeating: "A", count: 33)) / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedStartLine),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
    ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .unsupportedVersion),
    ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("GET /#f HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
    ("GET / HTTP/1.1\nHost: a\r\n\r\n", .bareLineEnd),
    ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineEnd),
    ("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineEnd),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", .bareLineEnd),
    ("GET / HTTP/1.1\r\nHost: a\r\n\rX: a\r\n\r\n", .bareLineEnd),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n folded\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\nX(Y): a\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\nHost: a\r\nX\u{e9}: a\r\n\r\n", .malformedField),
    ("GET / HTTP/1.1\r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: \r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: a:99999x\r\n\r\n", .badHost),
    ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .badHost),
    ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .badHost),
    (post("Content-Length: 5\r\nContent-Length: 5"), .ambiguousLength),
    (post("Content-Length: 5\r\nContent-Length: 6"), .ambiguousLength),
    (post("Content-Length: 5, 5"), .ambiguousLength),
    (post("Content-Length: +5"), .ambiguousLength),
    (post("Content-Length: -1"), .ambiguousLength),
    (post("Content-Length: 0x5"), .ambiguousLength),
    (post("Content-Length: "), .ambiguousLength),
    (post("Content-Length: 5 5"), .ambiguousLength),
    (post("Content-Length: 99999999999999999999"), .ambiguousLength),
    (post("Content-Length: 5\r\nTransfer-Encoding: chunked"), .ambiguousLength),
    (post("Transfer-Encoding: chunked\r\nContent-Length: 5"), .ambiguousLength),
    (post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), .ambiguousLength),
    (post("Transfer-Encoding: gzip, chunked"), .unsupportedTransferCoding),
    (post("Transfer-Encoding: chunked, identity"), .unsupportedTransferCoding),
    (post("Transfer-Encoding: xchunked"), .unsupportedTransferCoding),
    (post("Transfer-Encoding:\u{b}chunked"), .malformedField),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .ambiguousLength),
    (post("Expect: 200-ok"), .unknownExpectation),
  ]

  static func post(_ fields: String) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
  }

  @Test("an ambiguous message is an error, as a whole and byte by byte", arguments: hostile)
  func refuses(_ text: String, _ error: HTTP1Error) {
    #expect(ParserHarness.events(text) == ["\(error)"])
    var single = ParserHarness()
    for byte in text.utf8 { single.feed([byte]) }
    #expect(single.failure == error)
  }

  static let hostileBodies = [
    "g\r\n", "\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "-5\r\n", "0x5\r\nhello\r\n",
    "5\nhello\r\n", "5\r\nhelloX\r\n", "5\r\nhello\n", "5\r\nhello\r\r\n", "5;\u{1}\r\nhello\r\n",
    "5;a\rb\r\n", "1000000000000000\r\n", "0\r\nX\r\n\r\n", "0\r\n X: a\r\n\r\n",
    "0\r\nX : a\r\n\r\n", "0\r\nX: \0\r\n\r\n", "0\r\n\n", "0\r\n\rX",
  ]

  @Test("a malformed chunk is an error", arguments: hostileBodies)
  func refusesChunks(_ body: String) {
    let text = Self.post("Transfer-Encoding: chunked") + body
    #expect(ParserHarness.events(text).last == "malformedChunk")
  }

  @Test("every error has a status for the final response")
  func statuses() {
    for error in HTTP1Error.allCases { #expect(error.status.code >= 400) }
  }

  @Test("methods are case-sensitive")
  func methodCase() {
    #expect(HTTPMethod("get") == .other("get"))
    #expect(HTTPMethod("GET") == .get)
    for name in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"] {
      #expect(HTTPMethod(name).text == name)
    }
  }

  @Test("100-continue is honoured only in HTTP/1.1 and with a body")
  func expectations() throws {
    for (text, expected) in [
      (Self.post("Content-Length: 1\r\nExpect: 100-Continue"), true),
      (Self.post("Content-Length: 0\r\nExpect: 100-continue"), false),
      ("POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n", false),
    ] {
      var parser = RequestParser(limits: Shared(HTTPLimits()))
      var offset = 0
      let bytes = Array(text.utf8)
      guard case .head(_, let connection) = try parser.next(bytes.span, at: &offset) else {
        Issue.record("no head")
        continue
      }
      #expect(connection.expectsContinue == expected)
    }
  }
}
