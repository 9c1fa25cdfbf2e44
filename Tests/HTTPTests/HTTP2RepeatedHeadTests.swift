import HTTP
import Operations
import Requirements
import Support
import Testing

/// The fields of a head are compared with those of an earlier one of its connection.
@Suite("Heads of HTTP/2 requests that repeat")
struct HTTP2RepeatedHeadTests {
  private typealias Line = (String, String)

  private func head(_ lines: [Line], on client: FrameClient, _ number: inout UInt32) throws
    -> RequestHead?
  {
    let before = client.record.heads.count
    client.request(lines, stream: 2 * number + 1)
    number += 1
    try client.deliver()
    return client.record.heads.count > before ? client.record.heads.last : nil
  }

  @Test("every head of a connection is that of its own lines", .tags(.GW_4))
  func sequences() throws {
    var numbers = SeededRandom()
    let names = [
      "accept", "x-a", "x-b", "user-agent", "cookie", "content-length", "host", "traceparent",
    ]
    let traces = (1...2).map { "00-\(String(repeating: "\($0)", count: 32))-00000000000000ab-01" }
    for _ in 0..<40 {
      let shared = try FrameClient()
      var number: UInt32 = 0
      var pool: [[Line]] = []
      for _ in 0..<4 {
        var lines = FrameClient.requestLines
        lines[2].1 = ["/", "/a"].randomElement(using: &numbers) ?? "/"
        for _ in 0..<Int.random(in: 0...5, using: &numbers) {
          let name = names.randomElement(using: &numbers) ?? "accept"
          let isOnce = name == "content-length" || name == "host"
          if isOnce, lines.contains(where: { $0.0 == name }) { continue }
          let values = name == "traceparent" ? traces : ["0", "1"]
          let value = values.randomElement(using: &numbers) ?? "0"
          lines.append((name, name == "host" ? "example.org" : isOnce ? "0" : value))
        }
        pool.append(lines)
      }
      for _ in 0..<30 {
        let lines = pool.randomElement(using: &numbers) ?? []
        var first: UInt32 = 0
        let alone = try head(lines, on: FrameClient(), &first)
        let received = try head(lines, on: shared, &number)
        let isSame = (received == nil) == (alone == nil)
        #expect(isSame)
        guard let alone, let received else { continue }
        #expect(received.fields == alone.fields)
        #expect(received.target == alone.target)
        #expect(received.method == alone.method)
        #expect(received.contentLength == alone.contentLength)
        #expect(received.trace == alone.trace)
      }
    }
  }

  @Test("each head of a connection has its own trace and its own cookies", .tags(.OPS_8))
  func traces() throws {
    let client = try FrameClient()
    var number: UInt32 = 0
    for step in 0..<12 {
      let trace = String(repeating: "\(step % 9 + 1)", count: 32)
      let cookies = step < 6 ? "a=1" : "a=\(step)"
      let received = try head(
        FrameClient.requestLines + [
          ("x-a", "1"), ("traceparent", "00-\(trace)-00f067aa0ba902b7-01"),
          ("cookie", cookies), ("cookie", "b=2"),
        ], on: client, &number)
      let head = try #require(received)
      #expect(head.trace?.trace.description == trace)
      #expect(head.fields["cookie"] == "\(cookies); b=2")
      #expect(head.fields["x-a"] == "1" && head.fields["traceparent"] == nil)
    }
  }

  @Test("an authority that differs from `host` is refused also in a repeated head", .tags(.GW_4))
  func authority() throws {
    let client = try FrameClient()
    var number: UInt32 = 0
    let good = FrameClient.requestLines + [("host", "example.org")]
    let bad = FrameClient.requestLines + [("host", "example.com")]
    for _ in 0..<3 {
      let received = try head(good, on: client, &number)
      #expect(received?.authority == "example.org")
      let isRefused = try head(bad, on: client, &number) == nil
      #expect(isRefused)
    }
  }

  @Test("a head that is the beginning of an earlier one has its own fields only", .tags(.GW_4))
  func beginning() throws {
    let client = try FrameClient()
    var number: UInt32 = 0
    let long = FrameClient.requestLines + [("x-a", "1"), ("x-b", "2")]
    let short = FrameClient.requestLines + [("x-a", "1")]
    for lines in [long, long, long, short, short, short, long] {
      let received = try head(lines, on: client, &number)
      let head = try #require(received)
      #expect(head.fields.count == lines.count - 3)
      #expect(head.fields["x-b"] == (lines.count == long.count ? "2" : nil))
    }
  }

  @Test("a head that comes the third time has the fields of the second, not a copy", .tags(.GW_4))
  func found() throws {
    let client = try FrameClient()
    var number: UInt32 = 0
    let lines = FrameClient.requestLines + [("x-a", "1"), ("accept", "text/html")]
    let other = FrameClient.requestLines + [("x-a", "1"), ("accept", "text/htmk")]
    for (step, lines) in [lines, lines, lines, lines, other, lines].enumerated() {
      let trace = "00-\(String(repeating: "\(step + 1)", count: 32))-00f067aa0ba902b7-01"
      let rest = [("cookie", "a=1"), ("cookie", "b=2"), ("traceparent", trace)]
      _ = try head(lines + rest, on: client, &number)
    }
    let fields = client.record.heads.map(\.fields)
    try #require(fields.count == 6)
    let areShared = fields.dropFirst().map { $0.hasStorage(of: fields[1], .host) }
    #expect(areShared == [true, true, true, false, true])
    #expect(!fields[0].hasStorage(of: fields[1], .host))
  }
}

extension HTTPFields {
  /// Whether both have the value of this name in the same place of the memory: one of them was not
  /// stored again, but found.
  func hasStorage(of other: HTTPFields, _ name: FieldName) -> Bool {
    let isSame = withValue(name) { mine in
      other.withValue(name) { mine.isIdentical(to: $0) } ?? false
    }
    return isSame ?? false
  }
}
