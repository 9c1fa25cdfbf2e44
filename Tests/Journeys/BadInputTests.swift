import HTTP
import Requirements
import Support
import Testing

@Suite("Bad input, through the gateway")
struct BadInputTests {
  /// Malformed documents for any endpoint. `member` begins a valid one.
  private static func broken(_ whole: String) -> [(String, [UInt8])] {
    let begun = whole.dropLast()
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    return [
      ("nothing", []), ("truncated", Array(begun.utf8)), ("no JSON", Array("{x}".utf8)),
      ("an array", Array("[]".utf8)), ("null", Array("null".utf8)),
      ("text after the end", Array((whole + " 1").utf8)),
      ("duplicate keys", Array((begun + ",\"a\":1,\"a\":1}").utf8)),
      ("NUL", Array((begun + ",\"a\":\"\\u0000\"}").utf8)),
      ("a lone surrogate", Array((begun + ",\"a\":\"\\ud800\"}").utf8)),
      ("a huge number", Array((begun + ",\"a\":1e999}").utf8)),
      ("depth", Array((begun + ",\"a\":\(deep)}").utf8)),
      ("broken UTF-8", Array((begun + ",\"a\":\"").utf8) + [0xFF, 0x22, 0x7D]),
      ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(whole.utf8)),
    ]
  }

  @Test("an unreadable document is reported as malformed", .tags(.GW_2), arguments: PostCase.all)
  func broken(endpoint: PostCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    let client = try PublicClient(try await TestSystem.shared())
    defer { client.close() }
    for (name, body) in Self.broken(endpoint.document.description) {
      let reply = try await client.send(
        .post, endpoint.path, token: accounts.token(endpoint.role), body: body,
        mediaType: "application/json")
      #expect(reply.outcome == .malformed, "\(name): \(reply.text)")
      #expect(reply.json.detail.text != nil, "\(name)")
    }
  }

  @Test(
    "a missing or mistyped mandatory field is malformed and named", .tags(.GW_2),
    arguments: PostCase.all)
  func fields(endpoint: PostCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    let client = try PublicClient(try await TestSystem.shared())
    defer { client.close() }
    for name in endpoint.document.names {
      for value: JSONValue? in [nil, .null, [:], .number(1.5), [[]]] {
        if value == .null, endpoint.nullable.contains(name) { continue }
        let document = endpoint.document.with(name, value)
        let reply = try await client.post(
          endpoint.path, token: accounts.token(endpoint.role), document)
        #expect(reply.outcome == .malformed, "\(document): \(reply.text)")
        #expect(reply.field?.hasPrefix(name) == true, "\(document): \(reply.text)")
      }
    }
  }

  @Test(
    "control and direction characters in visible texts are malformed and named",
    .tags(.GW_2),
    arguments: PostCase.all.filter { !$0.readable.isEmpty })
  func controlCharacters(endpoint: PostCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    for name in endpoint.readable {
      for control in ["\u{1}", "\n", "\t", "\u{7F}", "\u{9B}", "\u{202E}", "\u{2028}"] {
        let reply = try await accounts.single.client.post(
          endpoint.path, token: accounts.token(endpoint.role),
          endpoint.document.with(name, .text("Watch\(control)1")))
        #expect(reply.outcome == .malformed, "\(reply.text)")
        #expect(reply.field == name, "\(reply.text)")
      }
    }
  }

  @Test("a missing, wrong or foreign token is refused", .tags(.R5), arguments: PostCase.all)
  func postTokens(endpoint: PostCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    for token in accounts.wrongTokens(endpoint.role) {
      let reply = try await accounts.single.client.post(
        endpoint.path, token: token, endpoint.document)
      Self.expectRefusal(reply, endpoint.refusal)
    }
  }

  @Test(
    "a missing, wrong or foreign token is refused by read-only endpoints", .tags(.R5),
    arguments: GetCase.all)
  func getTokens(endpoint: GetCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    for token in accounts.wrongTokens(endpoint.role) {
      let reply = try await accounts.single.client.get(endpoint.target(), token: token)
      Self.expectRefusal(reply, endpoint.refusal)
    }
  }

  private static func expectRefusal(_ reply: Reply, _ refusal: Outcome) {
    #expect(reply.outcome == refusal, "\(reply.text)")
    #expect(reply.json.detail.text?.isEmpty == false, "\(reply.text)")
    #expect((reply.fields["www-authenticate"] != nil) == (refusal.status == 401))
    #expect(reply.fields["content-type"] == "application/problem+json")
  }

  @Test(
    "a body that is too large, of another type or with another method is refused", .tags(.GW_2),
    arguments: PostCase.all)
  func limits(endpoint: PostCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    let token = accounts.token(endpoint.role)
    let client = try PublicClient(try await TestSystem.shared(), .http2)
    defer { client.close() }
    let large = [UInt8](repeating: 0x20, count: 1_048_577)
    let tooLarge = try await client.send(
      .post, endpoint.path, token: token, body: large, mediaType: "application/json")
    #expect(tooLarge.outcome == Outcome(413, "Too large"), "\(tooLarge.text)")
    let text = try await client.send(
      .post, endpoint.path, token: token, body: endpoint.document.bytes, mediaType: "text/plain")
    #expect(text.outcome == Outcome(415, "Wrong media type"), "\(text.text)")
    let method = try await client.send(
      endpoint.otherMethod, endpoint.path, token: token, body: [], mediaType: nil)
    #expect(method.outcome == Outcome(405, "Method not allowed"), "\(method.text)")
    #expect(method.fields["allow"]?.contains("POST") == true)
    for reply in [tooLarge, text, method] {
      #expect(reply.json.detail.text?.isEmpty == false, "\(reply.text)")
    }
  }

  @Test("wrong, missing and repeated query parameters are malformed", arguments: GetCase.all)
  func queries(endpoint: GetCase) async throws {
    let accounts = try await MatrixAccounts.shared()
    let token = accounts.token(endpoint.role)
    let client = accounts.single.client
    for (name, value) in endpoint.wrong {
      let reply = try await client.get(endpoint.target([(name, value)]), token: token)
      #expect(reply.outcome == .malformed, "\(name)=\(value): \(reply.text)")
      #expect(reply.field == name, "\(reply.text)")
    }
    for (name, value) in endpoint.query {
      let missing = try await client.get(endpoint.target(without: name), token: token)
      #expect(missing.outcome == .malformed, "\(missing.text)")
      #expect(missing.field == name)
      let twice = try await client.get(
        endpoint.target([(name, value), (name, value)]), token: token)
      #expect(twice.outcome == .malformed, "\(twice.text)")
    }
  }

  @Test("an unknown path is not found, and a non-canonical path is malformed", .tags(.GW_2))
  func paths() async throws {
    let client = try PublicClient(try await TestSystem.shared())
    defer { client.close() }
    for path in ["/nothing", "/auth", "/auth/me/", "/data/STATS"] {
      #expect(try await client.get(path).outcome == Outcome(404, "Not found"), "\(path)")
    }
    let page = try await client.get("/")
    #expect(page.status == 200 && page.text.contains("<h1>TrackMe API</h1>"))
    for path in ["//auth/me", "/auth/../auth/me", "/auth/%6De", "/auth/./me"] {
      #expect(try await client.get(path).outcome == .malformed, "\(path)")
    }
  }

  @Test("a rejected batch of any kind stores nothing", .tags(.DAT_2))
  func nothingStored() async throws {
    let user = try await TestSystem.shared().singleUser()
    let good: JSONValue = "2024-01-15T10:00:00Z"
    let batches: [(JSONValue, JSONValue, JSONValue, String)] = [
      (["heartRate", "mood"], [70, 70], [good, good], "dataTypes[1]"),
      (["heartRate", "heartRate"], [70, "x"], [good, good], "values[1]"),
      (["heartRate", "heartRate"], [70, 251], [good, good], "values[1]"),
      (["heartRate", "heartRate"], [70, 70], [good, "2024-01-15"], "timestamp[1]"),
      (["heartRate", "heartRate"], [70, 70], [good, "1899-12-31T23:59:59Z"], "timestamp[1]"),
      (["heartRate", "heartRate"], [70, 70], [good, "9999-01-01T00:00:00Z"], "timestamp[1]"),
    ]
    for (types, values, times, field) in batches {
      let reply = try await user.post(
        "/data/upload", ["dataTypes": types, "values": values, "timestamp": times])
      #expect(reply.outcome == .malformed)
      #expect(reply.field == field, "\(reply.text)")
    }
    let uneven = try await user.post(
      "/data/upload",
      ["dataTypes": ["heartRate"], "values": [70, 71], "timestamp": [good]])
    #expect(uneven.outcome == .malformed)
    #expect(try await user.get("/data/stats").json.dataTypes.count == 0)
  }
}
