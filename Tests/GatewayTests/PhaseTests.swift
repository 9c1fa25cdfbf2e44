import Cryptography
import Domain
import Gateway
import HTTP
import Operations
import PublicAPI
import Requirements
import Testing
import Web

private let plans = EndpointPlans(PublicAPI.endpoints, metrics: Metrics())

private func plan(_ method: HTTPMethod, _ path: String) throws -> EndpointPlan {
  guard case .plan(let plan) = plans.find(method, Array(path.utf8)[...]) else {
    throw Problem.notFound
  }
  return plan
}

private func problem(_ work: () throws(Problem) -> Void) -> Problem? {
  do throws(Problem) {
    try work()
    return nil
  } catch {
    return error
  }
}

@Suite("Path and route")
struct RoutePhaseTests {
  @Test(
    "a path that normalising would change is refused", .tags(.GW_1),
    arguments: [
      "//auth/me", "/auth//me", "/auth/./me", "/auth/../me", "/auth/me/..", "/auth%2Fme",
      "/auth/%6De", "/auth/me%00", "/auth\\me", "/auth/%2e%2e/me", "/auth/me%", "/a b",
    ])
  func canonical(_ path: String) {
    let head = RequestHead(.get, path, authority: "a")
    let found = problem { () throws(Problem) in _ = try RoutePhase.find(head, in: plans) }
    #expect(found?.status == .badRequest)
  }

  @Test(
    "an unknown path is 404, with the places that list all paths", .tags(.GW_1),
    arguments: ["/auth", "/auth/me/", "/Auth/me", "/x"])
  func unknown(_ path: String) {
    let head = RequestHead(.get, path, authority: "a")
    let found = problem { () throws(Problem) in _ = try RoutePhase.find(head, in: plans) }
    #expect(found?.status == .notFound)
    #expect(found?.error == "Not found")
    #expect(found?.detail.contains("/openapi.json") == true)
    #expect(found?.detail.contains("another account") == false)
  }

  @Test("another method is 405 with the supported ones", .tags(.GW_1))
  func otherMethod() {
    let head = RequestHead(.delete, "/data/import", authority: "a")
    let found = problem { () throws(Problem) in _ = try RoutePhase.find(head, in: plans) }
    #expect(found?.status == .methodNotAllowed)
    #expect(found?.fields[.allow] == "POST, GET, HEAD, OPTIONS")
  }

  @Test("HEAD is answered as GET, OPTIONS with the supported methods", .tags(.GW_1))
  func headAndOptions() throws {
    guard
      case .plan(let plan) = try RoutePhase.find(
        RequestHead(.head, "/auth/me", authority: "a"), in: plans)
    else { throw Problem.notFound }
    #expect(plan.endpoint.operationID == "me")
    guard
      case .options(let allow) = try RoutePhase.find(
        RequestHead(.options, "/auth/login", authority: "a"), in: plans)
    else { throw Problem.notFound }
    #expect(allow == "POST, OPTIONS")
  }

  @Test(
    "a repeated or undecodable query parameter is 400",
    .tags(.GW_2), arguments: ["a=1&a=2", "a=%zz", "%00"])
  func query(_ query: String) {
    let head = RequestHead(.get, "/auth/me?\(query)", authority: "a")
    let found = problem { () throws(Problem) in _ = try head.decodedQuery() }
    #expect(found?.status == .badRequest)
  }

  @Test("a declared query parameter is checked, with its name as the field", .tags(.GW_2))
  func parameters() throws {
    let series = try plan(.get, "/data/series")
    let missing = problem { () throws(Problem) in try RoutePhase.check(nil, for: series) }
    #expect(missing?.field == "type")
    let query = try Query(decoding: Array("type=heartRate&granularity=year".utf8)[...])
    let wrong = problem { () throws(Problem) in try RoutePhase.check(query, for: series) }
    #expect(wrong?.field == "granularity")
  }
}

@Suite("The token of a request", .tags(.GW_3))
struct IdentifyPhaseTests {
  private let authority = TokenAuthority(root: .random())

  private func read(
    _ method: HTTPMethod = .get, header: [String] = [], query: String? = nil, body: String? = nil
  ) throws(Problem) -> IdentifyPhase.Presented {
    var head = RequestHead(method, "/x", authority: "a")
    for value in header { head.fields.append(.authorization, value) }
    var decoded: Query?
    if let query {
      do { decoded = try Query(decoding: Array("authToken=\(query)".utf8)[...]) } catch {
        Issue.record(error)
      }
    }
    return try IdentifyPhase.read(head, decoded, bodyToken: body, VerifiedTokens(authority))
  }

  @Test("the token is read from the header, the query of a GET, or the body")
  func places() throws {
    let token = authority.issue(.session)
    let genuine = IdentifyPhase.Presented.genuine(token.hash)
    #expect(try read() == .nothing)
    #expect(try read(header: ["Bearer \(token.text)"]) == genuine)
    #expect(try read(header: ["bearer  \(token.text)"]) == genuine)
    #expect(try read(query: token.text) == genuine)
    #expect(try read(.post, query: token.text) == .nothing)
    #expect(try read(.post, body: token.text) == genuine)
    #expect(try read(.post, header: ["Bearer \(token.text)"], body: token.text) == genuine)
  }

  @Test("different tokens are 400")
  func disagreement() {
    let token = authority.issue(.session).text
    let other = authority.issue(.session).text
    let cases: [(header: [String], query: String?, body: String?)] = [
      (["Bearer \(token)"], other, nil), (["Bearer \(token)"], nil, other),
      ([], token, other), (["Bearer \(token)", "Bearer \(other)"], nil, nil),
      (["Basic \(token)"], token, nil), (["Bearer \(token)"], "x", nil),
    ]
    for given in cases {
      let found = problem { () throws(Problem) in
        _ = try read(header: given.header, query: given.query, body: given.body)
      }
      #expect(found?.status == .badRequest)
      #expect(found?.field == "authToken")
    }
  }

  @Test("forged tokens, and those of other installations or kinds, are refused", .tags(.R5))
  func wrong() throws {
    let text = authority.issue(.session).text
    let last = text.last == "A" ? "B" : "A"
    let wrong = [
      text.dropLast() + last, "", "x", "tms_", String(text.dropLast()), text + "A",
      TokenAuthority(root: .random()).issue(.session).text, authority.issue(.activation).text,
      authority.issue(.pairing).text, authority.issue(.passwordReset).text,
    ]
    for token in wrong { #expect(try read(header: ["Bearer \(token)"]) == .wrong) }
    #expect(try read(header: ["Basic \(text)"]) == .wrong)
  }
}

@Suite("The body of a request: media types and schema", .tags(.GW_2))
struct BodyPhaseTests {
  private func head(_ path: String, type: String?, length: UInt64? = 2) -> RequestHead {
    var head = RequestHead(.post, path, authority: "a")
    if let type { head.fields.append(.contentType, type) }
    head.contentLength = length
    head.hasBody = true
    return head
  }

  @Test(
    "JSON in UTF-8 is accepted, also without a media type",
    arguments: [
      "application/json", "Application/JSON", "application/json; charset=utf-8",
      "application/json;charset=\"UTF-8\"", nil,
    ])
  func json(_ type: String?) throws {
    let login = try plan(.post, "/auth/login")
    #expect(try BodyPhase.begin(head("/auth/login", type: type), for: login) == .collect)
  }

  @Test(
    "another media type is 415",
    arguments: [
      "text/plain", "application/x-www-form-urlencoded", "application/jsonx",
      "application/json; charset=utf-16", "multipart/form-data",
    ])
  func wrongType(_ type: String) throws {
    let login = try plan(.post, "/auth/login")
    let found = problem { () throws(Problem) in
      _ = try BodyPhase.begin(head("/auth/login", type: type), for: login)
    }
    #expect(found?.status == .unsupportedMediaType)
    #expect(found?.error == "Wrong media type")
  }

  @Test("the path of a run is JSON, also without a media type, or a file with one")
  func jsonOrFile() throws {
    let path = try plan(.post, "/t4r/org/path")
    for type in ["application/json", nil] {
      #expect(try BodyPhase.begin(head("/t4r/org/path", type: type), for: path) == .collect)
    }
    let file = head("/t4r/org/path", type: "application/gpx+xml", length: 4 << 20)
    #expect(try BodyPhase.begin(file, for: path) == .stream(bytesMax: 4 << 20))
    for (type, length, status) in [
      ("application/gpx+xml", 4 << 20 + 1, .contentTooLarge),
      ("application/json", 1 << 20 + 1, .contentTooLarge),
      ("text/xml", 2, .unsupportedMediaType),
    ] as [(String, UInt64, HTTPStatus)] {
      let found = problem { () throws(Problem) in
        _ = try BodyPhase.begin(head("/t4r/org/path", type: type, length: length), for: path)
      }
      #expect(found?.status == status)
    }
  }

  @Test("an encoded body is 415, because the gateway does not decompress")
  func encoded() throws {
    let login = try plan(.post, "/auth/login")
    var head = head("/auth/login", type: "application/json")
    head.fields.append(.contentEncoding, "gzip")
    let found = problem { () throws(Problem) in _ = try BodyPhase.begin(head, for: login) }
    #expect(found?.status == .unsupportedMediaType)
  }

  @Test("a body of 1 MiB is accepted, one byte more is 413", .tags(.GW_5))
  func length() throws {
    let login = try plan(.post, "/auth/login")
    let full = head("/auth/login", type: nil, length: 1_048_576)
    #expect(try BodyPhase.begin(full, for: login) == .collect)
    let over = problem { () throws(Problem) in
      _ = try BodyPhase.begin(head("/auth/login", type: nil, length: 1_048_577), for: login)
    }
    #expect(over?.status == .contentTooLarge)
    let load = try plan(.post, "/data/import")
    let four = head("/data/import", type: "application/zip", length: 4 << 30)
    #expect(try BodyPhase.begin(four, for: load) == .stream(bytesMax: 4 << 30))
    let more = problem { () throws(Problem) in
      _ = try BodyPhase.begin(
        head("/data/import", type: "application/zip", length: 4 << 30 + 1), for: load)
    }
    #expect(more?.status == .contentTooLarge)
  }

  @Test("a violation is returned with the field's path, together with the token")
  func violation() throws {
    let upload = try plan(.post, "/data/upload")
    let text = #"{"dataTypes":["heartRate"],"values":["70"],"timestamp":[5],"authToken":"t"}"#
    let (violation, token) = try BodyPhase.check(Array(text.utf8), for: upload)
    #expect(violation?.field == "timestamp[0]")
    #expect(token == "t")
  }

  @Test(
    "an unparsable body is refused immediately",
    arguments: [
      "", "{", "{\"a\":1,\"a\":2}", "{\"a\":1e999}", "{\"a\":\"\\ud800\"}", "{} x",
      "{\"a\":\"\\u0000\"}", String(repeating: "[", count: 33),
    ])
  func unreadable(_ text: String) throws {
    let upload = try plan(.post, "/data/upload")
    let found = problem { () throws(Problem) in
      _ = try BodyPhase.check(Array(text.utf8), for: upload)
    }
    #expect(found?.error == "Malformed request")
  }
}
