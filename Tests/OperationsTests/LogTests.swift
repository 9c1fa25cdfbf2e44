import Foundation
import Operations
import Requirements
import Testing
import Time

@Suite("Log lines")
struct LogTests {
  private let recorder = LogRecorder()

  private func log(_ level: LogLevel = .debug) -> Log {
    Log(
      process: "data4help-1", level: level, sink: recorder.sink,
      now: { Instant(microsecondsSince1970: 1_769_862_896_789_012) })
  }

  @Test("a line is a JSON object with time, level, process, message and fields")
  func format() {
    log().info(
      "listening",
      [
        .number("port", UInt16(8080)), .flag("is_tls", false), .constant("address", "loopback"),
        .decimal("ratio", 0.5), .decimal("broken", .nan),
        .seconds("took_seconds", .milliseconds(1500)),
      ])
    #expect(
      recorder.lines == [
        #"{"time":"2026-01-31T12:34:56.789012Z","level":"info","process":"data4help-1","#
          + #""message":"listening","port":8080,"is_tls":false,"address":"loopback","#
          + #""ratio":0.5,"broken":null,"took_seconds":1.5}"#
      ])
  }

  @Test("the level is read from a line, and from no other text")
  func levelOfLine() {
    log().debug("a")
    log().info("b")
    log().warning("c")
    log().error("d")
    let lines = recorder.lines.map { Array($0.utf8) }
    #expect(lines.compactMap { LogLevel(ofLine: $0[...]) } == LogLevel.allCases)
    for text in ["", "{", #"{"level":"error"}"#, #"LOG: ","level":"error""#] {
      #expect(LogLevel(ofLine: Array(text.utf8)[...]) == nil)
    }
  }

  @Test("each line of a request has the request's identifier")
  func requestID() throws {
    let digits = "0123456789abcdef0011223344556677"
    let parsed = RequestID(digits.utf8Span.span)
    let identifier = try #require(parsed)
    log().following(identifier).warning("slow")
    #expect(try #require(recorder.lines.first).contains("\"request_id\":\"\(digits)\""))
  }

  private struct Failure: Error, LogSafe {
    var logText: String { "The database refused the statement (23505)." }
  }

  @Test("a failure has its component, its identifiers and its cause")
  func failure() {
    log().failure("delete account failed", Failure(), .number("account_id", 7))
    log().failure("read mail queue failed", Failure(), level: .warning)
    let cause = #""cause":"The database refused the statement (23505)."}"#
    let component = #""component":"OperationsTests/LogTests.swift","#
    let (first, second) = (recorder.lines.first ?? "", recorder.lines.last ?? "")
    #expect(first.contains(#""level":"error","#) && first.hasSuffix(cause))
    #expect(first.contains(#""message":"delete account failed","# + component))
    #expect(first.contains(#","account_id":7,"#))
    #expect(second.contains(#""level":"warning","#) && second.hasSuffix(component + cause))
  }

  @Test("lines below the level are neither built nor written")
  func level() {
    var isBuilt = false
    func fields() -> [LogField] {
      isBuilt = true
      return []
    }
    log(.warning).info("quiet", fields())
    #expect(recorder.lines.isEmpty)
    #expect(!isBuilt)
    log(.warning).error("loud", fields())
    #expect(recorder.lines.count == 1)
  }

  @Test(
    "no text breaks the line or the terminal",
    arguments: ["a\nb", "a\r\u{1B}[31m", "quote \" and \\", "\u{0}\u{7F}", "è 🏃", "\u{2028}"])
  func escaping(_ text: String) throws {
    log().info("odd", [.safe("text", OperatorText(text))])
    let line = try #require(recorder.lines.first)
    #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["text"] as? String == text)
  }

  @Test("a text of 512 bytes is written completely, a longer one is cut between characters")
  func length() throws {
    log().info("long", [.safe("text", OperatorText(String(repeating: "a", count: 512)))])
    log().info("long", [.safe("text", OperatorText(String(repeating: "è", count: 257)))])
    log().info("long", [.safe("text", OperatorText("a" + String(repeating: "è", count: 256)))])
    let counts = try recorder.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (object?["text"] as? String)?.utf8.count
    }
    #expect(counts == [512, 512, 511])
  }

  @Test("times are RFC 3339 in UTC, also on leap days and in years before 1970")
  func times() {
    let cases: [(Int64, String)] = [
      (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
    ]
    for (microseconds, text) in cases {
      #expect(Instant(microsecondsSince1970: microseconds).internetText == text)
    }
  }
}

@Suite("Request identifiers")
struct RequestIDTests {
  @Test("an identifier is read back as it was written")
  func roundTrip() {
    let first = RequestID.random()
    let parsed = RequestID(first.digits.span)
    #expect(parsed == first)
    #expect(RequestID.random() != first)
  }

  @Test(
    "a text other than 32 lower-case hexadecimal digits is not an identifier",
    arguments: ["", "0", String(repeating: "0", count: 33), String(repeating: "A", count: 32)])
  func refused(_ text: String) {
    let parsed = RequestID(text.utf8Span.span)
    #expect(parsed == nil)
  }
}
