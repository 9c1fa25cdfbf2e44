import HTTP
import HTTPFixture
import Requirements
import Testing

@Suite("Heads at the limits of the gateway", .tags(.GW_5))
struct HeadLimitTests {
  private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  private func withGateway(_ body: (TestGateway, TestReplica) async throws -> Void) async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    try await body(gateway, replica)
    await gateway.stop()
    await replica.stop()
  }

  /// A head of HTTP/1.1 with this number of fields, as short as possible except for one that fills
  /// the head to this number of bytes.
  private func head(_ token: String, fields: Int, bytes: Int) -> String {
    var text = "GET /auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
    text += "Connection: close\r\ntraceparent: \(Self.trace)\r\n"
    text += String(repeating: "a:\r\n", count: fields - 5)
    let rest = bytes - text.utf8.count - "b:\r\n\r\n".utf8.count
    return text + "b:\(String(repeating: "v", count: max(0, rest)))\r\n\r\n"
  }

  @Test("a head of HTTP/1.1 at both limits reaches the service, one beyond is 431 of the gateway")
  func http1() async throws {
    let limits = HTTPLimits()
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      for (fields, bytes, status) in [
        (limits.fieldsMax, limits.headBytesMax, 200), (limits.fieldsMax, 0, 200),
        (90, limits.headBytesMax, 200), (limits.fieldsMax + 1, 0, 431),
        (limits.fieldsMax, limits.headBytesMax + 1, 431),
      ] {
        let client = try RawClient(gateway.address)
        client.send(head(token, fields: fields, bytes: bytes))
        let answer = await client.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(fields) fields, \(bytes) bytes")
        if status == 431 { #expect(answer.contains("Request Header Fields Too Large")) }
      }
      #expect(replica.arrivals.count == 3)
    }
  }

  @Test("a head of HTTP/2 at both limits reaches the service, one beyond is 431 of the gateway")
  func http2() async throws {
    let limits = HTTP2Settings.public
    try await withGateway { gateway, replica in
      let client = gateway.client(.http2)
      for (fields, bytes, status) in [
        (limits.fieldsMax, limits.headBytesMax, HTTPStatus.ok),
        (limits.fieldsMax, limits.headBytesMax + 1, .fieldsTooLarge),
        (limits.fieldsMax + 1, 0, .fieldsTooLarge),
      ] {
        var head = RequestHead(.get, "/auth/me", authority: "a")
        head.fields.append(.authorization, "Bearer \(gateway.logIn())")
        head.fields.append(.traceParent, Self.trace)
        // The library counts four pseudo-header fields; `:authority` is `host` here.
        for _ in 0..<(fields - 7) { head.fields.append("a", "") }
        var size = 3 * 32 + ":method:path:schemeGET/auth/mehttp".utf8.count
        head.fields.forEach { known, name, value in
          size += 32 + value.count + (known == .host ? ":authority".utf8.count : name.count)
        }
        head.fields.append("b", String(repeating: "v", count: max(0, bytes - size - 33)))
        let answer = try await client.send(head)
        #expect(answer.head.status == status, "\(fields) fields, \(bytes) bytes")
      }
      #expect(replica.arrivals.count == 1)
      client.shutDown()
    }
  }
}
