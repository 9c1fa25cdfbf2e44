import Gateway
import HTTP
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Local responses of the gateway")
struct LocalAnswerTests {
  @Test("the gateway is up, and ready when each service has a replica", .tags(.GW_1))
  func health() async throws {
    let replica = try await TestReplica.start()
    let alone = try await TestGateway.start(data4help: [replica.address])
    #expect(try await alone.send(.get, "/health").text == "{\"status\":\"up\"}")
    let notReady = try await alone.send(.get, "/ready")
    #expect(notReady.head.status == .unavailable)
    #expect(notReady.head.fields[.retryAfter] != nil)
    await alone.stop()
    let whole = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address])
    try await eventually("a ready gateway") { await whole.gateway.isReady() }
    #expect(try await whole.send(.get, "/ready").text == "{\"status\":\"ready\"}")
    await whole.stop()
    await replica.stop()
  }

  @Test("the API document is served, and not sent again to a client that has it")
  func openAPI() async throws {
    let gateway = try await TestGateway.start(data4help: [])
    let first = try await gateway.send(.get, "/openapi.json")
    #expect(first.head.status == .ok)
    #expect(first.text.contains("\"openapi\":\"3.1.0\""))
    #expect(first.text.contains("https://localhost:8443"))
    let tag = try #require(first.head.fields[.etag])
    let second = try await gateway.send(
      .get, "/openapi.json", fields: [("if-none-match", tag)])
    #expect(second.head.status == .notModified)
    #expect(second.body.isEmpty)
    let head = try await gateway.send(.head, "/openapi.json")
    #expect(head.head.contentLength == UInt64(first.body.count))
    #expect(head.body.isEmpty)
    await gateway.stop()
  }

  @Test("the page lists every endpoint, links it at its beginning, and loads no external resource")
  func page() async throws {
    let gateway = try await TestGateway.start(data4help: [])
    let page = try await gateway.send(.get, "/docs")
    for endpoint in PublicAPI.endpoints {
      let heading = "<h2 id=\"\(endpoint.operationID)\"><code>\(endpoint.method.text) "
      #expect(page.text.contains("\(heading)\(endpoint.path)</code></h2>"))
      #expect(page.text.contains("<a href=\"#\(endpoint.operationID)\">"))
    }
    #expect(try await gateway.send(.get, "/").text == page.text)
    // The allowed values of a field, and a field of a response.
    for words in ["[one of accept, decline, required]", "requests[].reqID</code>"] {
      #expect(page.text.contains(words), "\(words)")
    }
    #expect(!page.text.contains("http://") && !page.text.contains("https://"))
    // Backticks in the texts of the API become code elements.
    #expect(!page.text.contains("`"))
    #expect(page.head.fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    await gateway.stop()
  }

  @Test(
    "unknown paths, other methods and OPTIONS are answered with a request identifier",
    .tags(.GW_1))
  func others() async throws {
    let gateway = try await TestGateway.start(data4help: [])
    let unknown = try await gateway.send(.get, "/nothing")
    #expect(unknown.head.status == .notFound)
    #expect(unknown.head.fields[.requestID]?.utf8.count == 32)
    #expect(unknown.member("detail")?.contains("/docs") == true)
    let other = try await gateway.send(.delete, "/auth/me")
    #expect(other.head.status == .methodNotAllowed)
    #expect(other.error == "Method not allowed")
    #expect(other.member("detail")?.contains("GET, HEAD, OPTIONS") == true)
    let options = try await gateway.send(.options, "/auth/me")
    #expect(options.head.status == .noContent)
    #expect(options.head.fields[.allow] == "GET, HEAD, OPTIONS")
    #expect(options.head.fields[.accessControlAllowOrigin] == nil)
    await gateway.stop()
  }

  @Test("a client above its rate limit receives 429 with the time to wait", .tags(.GW_5))
  func limits() async throws {
    let limits = RateLimits(guarded: RateLimit(burst: 2, perSecond: 0.001))
    let gateway = try await TestGateway.start(data4help: [], limits: limits)
    var last: HTTPClientResponse?
    for _ in 0..<3 { last = try await gateway.send(.post, "/auth/login", json: "{}") }
    #expect(last?.head.status == .tooManyRequests)
    #expect(last?.error == "Too many requests")
    let wait = try #require(last?.head.fields[.retryAfter].flatMap { Int($0) })
    #expect((900...1_000).contains(wait))
    await gateway.stop()
  }
}
