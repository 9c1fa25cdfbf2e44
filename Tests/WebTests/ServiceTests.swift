import EventLoop
import HTTP
import HTTPFixture
import JSON
import Operations
import Requirements
import Synchronization
import Testing
import Web

@Suite("Paths, queries and routes")
struct ServiceTests {
  @Test(
    "a path in normal form is accepted",
    arguments: [
      "/", "/a", "/a/", "/a/b-c_d.e~f", "/a/%20", "/%C3%A9", "/a:b@c!$&'()*+,;=", "/.a", "/a..b",
      "/...",
    ])
  func canonical(_ path: String) {
    #expect(CanonicalPath.isCanonical(Array(path.utf8)[...]))
  }

  @Test(
    "a path that normalising would change, or with dangerous escapes, is refused", .tags(.GW_1),
    arguments: [
      "", "a", "*", "//", "/a//b", "//a", "/./a", "/a/.", "/a/..", "/../a", "/a/../b", "/%2e/a",
      "/%2E%2E/a", "/a%2fb", "/a%2Fb", "/a%5Cb", "/a\\b", "/%61", "/%7E", "/a%2", "/a%", "/a%zz",
      "/%c3%a9", "/\u{e9}", "/a b", "/a\u{0}", "/%00", "/%1F", "/%7F", "/a<b", "/a\"b", "/a|b",
      "/a{b}", "/a^b", "/a`b", "/a?b", "/a#b",
    ])
  func notCanonical(_ path: String) {
    #expect(!CanonicalPath.isCanonical(Array(path.utf8)[...]))
  }

  @Test("a query is decoded strictly, and its names must be unique")
  func query() throws {
    let query = try Query(decoding: Array("a=b%20c+d&e=&f&%C3%A9=%26".utf8)[...])
    #expect(query["a"] == "b c d")
    #expect(query["e"] == "" && query["f"] == "" && query["g"] == nil)
    #expect(query["\u{e9}"] == "&")
    #expect(query.names.count == 4)
    let failure = { (text: String) -> Query.Failure? in
      do throws(Query.Failure) {
        _ = try Query(decoding: Array(text.utf8)[...])
        return nil
      } catch {
        return error
      }
    }
    #expect(failure("a=1&b=2&a=3") == .repeated("a"))
    #expect(failure("a=1&%61=3") == .repeated("a"))
    for text in ["a=%", "a=%1", "a=%zz", "a=%00", "a=%ff", "%ff=a", "a=%C3", "a=%7F"] {
      #expect(failure(text) == .undecodable, "\(text)")
    }
    let many = { (count: Int) in (0..<count).map { "p\($0)" }.joined(separator: "&") }
    #expect(failure(many(Query.parametersMax)) == nil)
    #expect(failure(many(Query.parametersMax + 1)) == .tooMany)
  }

  private let router = Router([
    Route(.get, "/a") { (_) throws(Problem) in Response() },
    Route(.post, "/a") { (_) throws(Problem) in Response(.created) },
    Route(.delete, "/keys/{keyID}") { (_) throws(Problem) in Response() },
    Route(.get, "/keys/all") { (_) throws(Problem) in Response() },
    Route(.get, "/t4r/run/{code}/qr.svg") { (_) throws(Problem) in Response() },
  ])

  private func match(_ method: HTTPMethod, _ path: String) -> String {
    switch router.match(method, Array(path.utf8)[...]) {
    case .found(let route, let parameters):
      "\(route.pattern) \(parameters["keyID"] ?? "-") \(parameters["code"] ?? "-")"
    case .otherMethod(let allow): "405 \(allow)"
    case .unknownPath: "404"
    }
  }

  @Test("a route is found by method and path, with its parameters decoded")
  func routes() {
    #expect(match(.get, "/a") == "/a - -")
    #expect(match(.head, "/a") == "/a - -")
    #expect(match(.delete, "/keys/x%20y") == "/keys/{keyID} x y -")
    #expect(match(.get, "/keys/all") == "/keys/all - -")
    #expect(match(.get, "/t4r/run/ABC/qr.svg") == "/t4r/run/{code}/qr.svg - ABC")
  }

  @Test("a known path with another method lists its methods, any other path is unknown")
  func noRoute() {
    #expect(match(.put, "/a") == "405 GET, HEAD, POST")
    #expect(match(.other("get"), "/a") == "405 GET, HEAD, POST")
    #expect(match(.post, "/keys/x") == "405 DELETE")
    for path in ["/", "/b", "/a/", "/A", "/keys/", "/keys", "/keys/a/b", "/keys/%FF"] {
      #expect(match(.get, path) == "404", "\(path)")
    }
  }

  @Test("a problem is a document with error and status, without its cause")
  func problem() throws {
    var problem = Problem.malformed("\"values\" is too long", field: "values[3]")
    problem.cause = "secret"
    let text = String(
      decoding: problem.document(requestID: RequestID(high: 1, low: 2)), as: UTF8.self)
    #expect(
      text == #"{"error":"Malformed request","status":400,"title":"Bad Request","#
        + #""detail":"\"values\" is too long","field":"values[3]","#
        + #""requestID":"00000000000000010000000000000002"}"#)
    #expect(Problem.tooManyRequests(retryAfter: 7).fields[.retryAfter] == "7")
    #expect(Problem.unavailable().fields[.retryAfter] == "1")
    #expect(Problem.wrongToken().fields[.wwwAuthenticate] == "Bearer")
    #expect(Problem.methodNotAllowed(allow: "GET").fields[.allow] == "GET")
  }

  @Test("the errors of the contract have its texts and statuses, and a detail")
  func texts() {
    let expected: [(Problem, Int, String)] = [
      (.notFound, 404, "Not found"), (.methodNotAllowed(allow: ""), 405, "Method not allowed"),
      (.tooLarge(), 413, "Too large"), (.wrongMediaType(), 415, "Wrong media type"),
      (.tooManyRequests(retryAfter: 1), 429, "Too many requests"),
      (.unavailable(), 503, "Unavailable"), (.badGateway, 502, "Bad gateway"),
      (.gatewayTimedOut, 504, "Timed out"),
      (.wrongToken(), 401, "Wrong token"), (.malformed("x"), 400, "Malformed request"),
    ]
    for (problem, status, text) in expected {
      #expect(problem.status == HTTPStatus(status) && problem.error == text)
      #expect(!problem.detail.isEmpty, "\(text)")
    }
    #expect(Problem.methodNotAllowed(allow: "GET, HEAD").detail.contains("GET, HEAD"))
    #expect(Problem.unavailable(retryAfter: 7).detail.contains("7 s"))
  }
}

@Suite("A service on a real socket")
struct LiveServiceTests {
  private func answer(_ server: TestServer, _ request: String) async throws -> String {
    let client = try RawClient(server.address)
    client.send(request + "Host: a\r\nConnection: close\r\n\r\n")
    return await client.receiveAll()
  }

  @Test("errors are problems with the request's identifier")
  func problems() async throws {
    let exchanges = Mutex<[String]>([])
    let log = LogRecorder()
    let server = try await TestServer.start(
      [
        Route(.get, "/fails/{name}") { (_) throws(Problem) in
          throw .internalError(SystemError(call: "test", code: 5))
        }
      ], log: Log(process: "test", level: .debug, sink: log.sink)
    ) { service in
      service.exchanged = { exchange in
        exchanges.withLock {
          $0.append("\(exchange.pattern ?? "-") \(exchange.status.code) \(exchange.isWhole)")
        }
      }
      service.admit = { (head, _) throws(Problem) in
        if head.fields.contains(.origin) { throw .wrongToken() }
      }
    }
    #expect(try await answer(server, "GET /no HTTP/1.1\r\n").hasPrefix("HTTP/1.1 404 "))
    let wrong = try await answer(server, "PUT /fails/x HTTP/1.1\r\n")
    #expect(wrong.hasPrefix("HTTP/1.1 405 ") && wrong.contains("allow: GET, HEAD\r\n"))
    #expect(try await answer(server, "GET /a/../b HTTP/1.1\r\n").hasPrefix("HTTP/1.1 400 "))
    let twice = try await answer(server, "GET /fails/x?a=1&a=2 HTTP/1.1\r\n")
    #expect(twice.hasPrefix("HTTP/1.1 400 ") && twice.contains(#""field":"a""#))
    #expect(
      try await answer(server, "GET /fails/x HTTP/1.1\r\nOrigin: x\r\n").hasPrefix("HTTP/1.1 401 "))
    let id = "0123456789abcdef0123456789abcdef"
    let failed = try await answer(server, "GET /fails/x HTTP/1.1\r\nX-Request-ID: \(id)\r\n")
    #expect(failed.hasPrefix("HTTP/1.1 500 ") && failed.contains("x-request-id: \(id)\r\n"))
    #expect(failed.contains(#""requestID":"\#(id)""#) && !failed.contains("test"))
    await server.stop()
    #expect(log.lines.filter { $0.contains(id) && $0.contains("test") }.count == 1)
    let expected = [
      "- 404 true", "- 405 true", "- 400 true", "- 400 true", "- 401 true",
      "/fails/{name} 500 true",
    ]
    #expect(exchanges.withLock { $0.map { $0 } }.count == expected.count)
    #expect(exchanges.withLock { $0.last } == expected.last)
  }

  @Test("a client detects a response that its handler aborts")
  func brokenOff() async throws {
    let server = try await TestServer.start([
      Route(.get, "/broken") { (_) throws(Problem) in
        .stream(contentType: "text/plain") { writer in
          try await writer.write(Array("some".utf8))
          throw Problem.internalError
        }
      }
    ])
    #expect(!(try await answer(server, "GET /broken HTTP/1.1\r\n").contains("0\r\n\r\n")))
    for version in [HTTPClientSettings.Version.http1, .http2] {
      var settings = HTTPClientSettings()
      settings.version = version
      let client = HTTPClient(to: server.address, on: server.loops[0], settings: settings)
      await #expect(throws: HTTPClientError.self) {
        _ = try await client.send(RequestHead(.get, "/broken", authority: "a"))
      }
      client.shutDown()
    }
    await server.stop()
  }

  @Test("metrics are served as text")
  func metrics() async throws {
    let metrics = Metrics()
    let server = try await TestServer.start([.metrics(metrics)])
    let text = try await answer(server, "GET /metrics HTTP/1.1\r\n")
    #expect(text.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    await server.stop()
  }
}
