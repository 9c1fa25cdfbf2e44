import Cryptography
import Domain
import Gateway
import HTTP
import Operations
import PublicAPI
import Requirements
import Testing
import Web

private let sameOrigin = [("sec-fetch-site", "same-origin")]

@Suite("The session's cookie", .tags(.GW_3))
struct CookieTests {
  @Test("a cookie identifies the caller like a token, and is not forwarded", .tags(.ACC_7))
  func identity() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.logIn(account: 9)
      for version in [HTTPClientSettings.Version.http1, .http2] {
        let me = try await secure.send(.get, "/auth/me", cookie: token, version)
        #expect(me.head.status == .ok)
        #expect(me.head.fields[.cacheControl] == "no-store")
        #expect(!me.head.fields.contains(.setCookie))
        try await secure.gateway.untilLogged(me)
        let arrival = try #require(secure.replica.arrivals.last)
        #expect(arrival.fields["x-trackme-account"] == "9")
        #expect(!arrival.fields.contains(.cookie))
      }
      #expect(secure.replica.arrivals.count == 2)
      for line in secure.gateway.log.lines { #expect(!line.contains(token)) }
    }
  }

  @Test("a cookie of repeated heads counts until its session ends, and for its own origin only")
  func repeated() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.parts.tokens.issue(.session)
      secure.gateway.sessions.insert(token.hash, TestGateway.session(9))
      for version in [HTTPClientSettings.Version.http1, .http2] {
        for _ in 0..<5 {
          let me = try await secure.send(.get, "/auth/me", cookie: token.text, version)
          #expect(me.head.status == .ok)
          let foreign = try await secure.send(
            .get, "/auth/me", cookie: token.text, fields: [("sec-fetch-site", "cross-site")],
            version)
          #expect(foreign.head.status == .forbidden)
        }
      }
      let arrivals = secure.replica.arrivals
      #expect(arrivals.count == 10)
      for arrival in arrivals {
        #expect(arrival.fields["x-trackme-account"] == "9")
        #expect(!arrival.fields.contains(.cookie))
      }
      secure.gateway.sessions.end(token.hash)
      let ended = try await secure.send(.get, "/auth/me", cookie: token.text)
      #expect(ended.head.status == .unauthorized)
      try await secure.gateway.untilLogged(ended)
      for line in secure.gateway.log.lines { #expect(!line.contains(token.text)) }
    }
  }

  @Test("the session's cookie is found among others, also in a divided field")
  func places() async throws {
    try await SecureGateway.with { secure in
      let pair = "__Host-trackme=\(secure.gateway.logIn())"
      for fields in [
        ["a=1; \(pair);b=2"], ["a=1", pair], ["\(pair) ; b=__Host-trackme=x"],
        ["x__Host-trackme=y; \(pair)"],
      ] {
        let me = try await secure.send(
          .get, "/auth/me", fields: fields.map { ("cookie", $0) }, .http2)
        #expect(me.head.status == .ok, "\(fields)")
      }
    }
  }

  @Test("a cookie with a wrong token, or one for programs or devices, is a wrong token", .tags(.R5))
  func wrong() async throws {
    try await SecureGateway.with { secure in
      let tokens = secure.gateway.parts.tokens
      for token in ["", "x", tokens.issue(.apiKey).text, tokens.issue(.device).text] {
        let me = try await secure.send(.get, "/auth/me", cookie: token)
        #expect(me.head.status == .unauthorized)
        #expect(me.error == "Wrong token")
      }
      #expect(secure.gateway.source.lookupCount == 0)
      #expect(secure.replica.arrivals.isEmpty)
    }
  }

  @Test("a cookie beside a token, or twice, is refused")
  func ambiguous() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.logIn()
      let replies = [
        try await secure.send(.get, "/auth/me", cookie: token, token: token),
        try await secure.send(.get, "/auth/me?authToken=\(token)", cookie: token),
        try await secure.send(
          .post, "/auth/logout", cookie: token, json: "{\"authToken\":\"\(token)\"}",
          fields: sameOrigin),
        try await secure.send(
          .get, "/auth/me", cookie: token, fields: [("cookie", "__Host-trackme=\(token)")]),
        try await secure.send(
          .get, "/auth/me", cookie: "\(token); __Host-trackme=\(token)"),
      ]
      for reply in replies {
        #expect(reply.head.status == .badRequest)
        #expect(reply.error == "Malformed request")
        #expect(reply.field == "__Host-trackme")
        #expect(!reply.text.contains(token))
      }
      #expect(secure.replica.arrivals.isEmpty)
    }
  }

  @Test("a cookie without TLS is refused as a wrong token")
  func plain() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let cookie = [("cookie", "__Host-trackme=\(gateway.logIn())")]
    let me = try await gateway.send(.get, "/auth/me", fields: cookie + sameOrigin)
    #expect(me.head.status == .unauthorized)
    #expect(me.error == "Wrong token")
    #expect(me.member("detail")?.contains("HTTPS only") == true)
    #expect(replica.arrivals.isEmpty)
    await gateway.stop()
    await replica.stop()
  }

  @Test("every change that another site causes is refused")
  func crossSite() async throws {
    let changing = PublicAPI.endpoints.filter { $0.changesState && $0.caller != .anyone }
    #expect(changing.count > 40)
    try await SecureGateway.with { secure in
      for endpoint in changing {
        let token = secure.gateway.logIn()
        let path = endpoint.path.replacing(/\{\w+\}/, with: "1")
        func send(_ fields: [(String, String)]) async throws -> HTTPClientResponse {
          try await secure.send(
            endpoint.method, path, cookie: token, json: Self.body(of: endpoint), fields: fields)
        }
        for fields in [[("sec-fetch-site", "cross-site")], []] {
          let reply = try await send(fields)
          #expect(reply.head.status == .forbidden, "\(path)")
          #expect(reply.error == "Wrong origin", "\(path)")
        }
        #expect(try await send(sameOrigin).error != "Wrong origin", "\(path)")
      }
    }
  }

  /// A document that passes the checks before the caller is identified.
  private static func body(of endpoint: Endpoint) -> String? {
    if case .stream = endpoint.body { return nil }
    return endpoint.method == .post ? "{}" : nil
  }

  @Test("the page's origin is judged before the body, whatever it holds")
  func originBeforeBody() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.logIn()
      let bodies: [(json: String?, fields: [(String, String)])] = [
        (nil, []), (nil, [("content-type", "text/plain")]), ("", []), ("{", []),
      ]
      for path in ["/settings/tp/info", "/sos/enable", "/data/upload", "/auth/logout"] {
        for (json, fields) in bodies {
          for site in [
            ("sec-fetch-site", "same-site"), ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "none"), ("origin", "https://other.example"), ("origin", "null"),
          ] {
            let reply = try await secure.send(
              .post, path, cookie: token, json: json, fields: fields + [site])
            #expect(reply.head.status == .forbidden, "\(path) \(site) \(json ?? "no body")")
            #expect(reply.error == "Wrong origin", "\(path) \(site) \(json ?? "no body")")
          }
        }
      }
      // Calls of the pages themselves learn what is wrong with their bodies.
      for json in ["", "{"] {
        let reply = try await secure.send(
          .post, "/sos/enable", cookie: token, json: json, fields: sameOrigin)
        #expect(reply.head.status == .badRequest)
      }
      #expect(secure.replica.arrivals.isEmpty)
    }
  }

  @Test("the page's origin decides about a change")
  func origins() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.logIn()
      func answer(_ fields: [(String, String)]) async throws -> HTTPStatus {
        try await secure.send(.post, "/sos/enable", cookie: token, json: "{}", fields: fields)
          .head.status
      }
      // The body is refused after the caller was accepted.
      for fields in [
        sameOrigin, [("origin", "https://trackme.example")],
        [("origin", "https://TrackMe.example")],
        sameOrigin + [("origin", "https://other.example")],
      ] {
        let status = try await answer(fields)
        #expect(status != .forbidden, "\(fields)")
      }
      for fields in [
        [("sec-fetch-site", "same-site")], [("sec-fetch-site", "none")],
        [("sec-fetch-site", "Same-Origin")], [("origin", "null")],
        [("origin", "http://trackme.example")], [("origin", "https://trackme.example:444")],
        [("origin", "https://trackme.example.evil.example")],
        [("sec-fetch-site", "cross-site"), ("origin", "https://trackme.example")],
      ] {
        let status = try await answer(fields)
        #expect(status == .forbidden, "\(fields)")
      }
    }
  }

  @Test("reading needs no origin, but is refused to other sites")
  func reading() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.logIn()
      for (site, status) in [
        ("same-origin", HTTPStatus.ok), ("none", .ok), ("same-site", .forbidden),
        ("cross-site", .forbidden),
      ] {
        let me = try await secure.send(
          .get, "/auth/me", cookie: token, fields: [("sec-fetch-site", site)])
        #expect(me.head.status == status, "\(site)")
      }
      #expect(try await secure.send(.head, "/auth/me", cookie: token).head.status == .ok)
    }
  }

  @Test("an endpoint without a token ignores the cookie, and its response is not cached")
  func openEndpoint() async throws {
    try await SecureGateway.with { secure in
      let list = "/t4r/active/list"
      for _ in 0..<2 {
        let reply = try await secure.send(
          .get, list, cookie: "x", fields: [("sec-fetch-site", "cross-site")])
        #expect(reply.head.status == .ok)
      }
      #expect(secure.replica.arrivals.count == 2)
      // The cookies of others do not matter.
      for _ in 0..<2 {
        _ = try await secure.send(.get, list, fields: [("cookie", "theme=dark")])
      }
      #expect(secure.replica.arrivals.count == 3)
    }
  }
}

@Suite("The cookie of a login", .tags(.ACC_7))
struct LoginCookieTests {
  private static let credentials = #"{"email":"a@example.org","password":"p","cookie":true}"#
  private static let cookie = SessionCookie.holding("secret", for: .seconds(60))

  /// A service that sets a cookie with every answer.
  @Sendable
  private static func answer(_ request: Request) async throws(Problem) -> Response? {
    var response = Response.json(Array("{}".utf8))
    response.fields.append(.setCookie, cookie)
    return response
  }

  @Test("the cookie of a login reaches the browser, and no other cookie of a service does")
  func set() async throws {
    try await SecureGateway.with(answer: Self.answer) { secure in
      let login = try await secure.send(
        .post, "/auth/login", json: Self.credentials, fields: sameOrigin)
      #expect(login.head.status == .ok)
      #expect(login.head.fields[.setCookie] == Self.cookie)
      #expect(login.head.fields[.cacheControl] == "no-store")
      let me = try await secure.send(.get, "/auth/me", token: secure.gateway.logIn())
      #expect(me.head.status == .ok)
      #expect(!me.head.fields.contains(.setCookie))
      try await secure.gateway.untilLogged(me)
      for line in secure.gateway.log.lines { #expect(!line.contains("secret")) }
    }
  }

  @Test("a login without TLS sets no cookie")
  func plain() async throws {
    let replica = try await TestReplica.start(answer: Self.answer)
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let login = try await gateway.send(.post, "/auth/login", json: Self.credentials)
    #expect(login.head.status == .ok)
    #expect(!login.head.fields.contains(.setCookie))
    await gateway.stop()
    await replica.stop()
  }

  @Test("a login that another site causes is refused, one of a program is not")
  func foreign() async throws {
    try await SecureGateway.with { secure in
      for fields in [
        [("sec-fetch-site", "cross-site")], [("sec-fetch-site", "same-site")],
        [("origin", "https://other.example")],
      ] {
        let login = try await secure.send(
          .post, "/auth/login", json: Self.credentials, fields: fields)
        #expect(login.head.status == .forbidden)
        #expect(login.error == "Wrong origin")
      }
      for json in ["", "{"] {
        let login = try await secure.send(
          .post, "/auth/login", json: json, fields: [("sec-fetch-site", "cross-site")])
        #expect(login.error == "Wrong origin")
      }
      #expect(secure.replica.arrivals.isEmpty)
      for fields in [sameOrigin, [("origin", "https://trackme.example")], []] {
        let login = try await secure.send(
          .post, "/auth/login", json: Self.credentials, fields: fields)
        #expect(login.head.status == .ok)
      }
    }
  }

  @Test("logging out removes the cookie and ends the session")
  func logout() async throws {
    try await SecureGateway.with { secure in
      let token = secure.gateway.logIn()
      let logout = try await secure.send(
        .post, "/auth/logout", cookie: token, json: "{}", fields: sameOrigin)
      #expect(logout.head.status == .ok)
      #expect(logout.head.fields[.setCookie] == SessionCookie.removal)
      let me = try await secure.send(.get, "/auth/me", cookie: token)
      #expect(me.head.status == .unauthorized)
      let other = try await secure.send(
        .post, "/auth/logout", token: secure.gateway.logIn(), json: "{}")
      #expect(other.head.status == .ok)
      #expect(!other.head.fields.contains(.setCookie))
    }
  }

  @Test("a changed password renews the cookie of a caller that sent one", .tags(.ACC_6))
  func renewed() async throws {
    try await SecureGateway.with(answer: Self.answer) { secure in
      let body = #"{"password":"p","newPassword":"a new long phrase"}"#
      for (path, kind) in [
        ("/settings/single/info", AccountKind.singleUser), ("/settings/tp/info", .thirdParty),
      ] {
        let token = secure.gateway.logIn(kind)
        let page = try await secure.send(
          .post, path, cookie: token, json: body, fields: sameOrigin)
        #expect(page.head.status == .ok)
        #expect(page.head.fields[.setCookie] == Self.cookie)
        #expect(secure.replica.arrivals.last?.fields[InternalField.cookie] == "1")
        let program = try await secure.send(.post, path, token: token, json: body)
        #expect(program.head.status == .ok)
        #expect(!program.head.fields.contains(.setCookie))
        #expect(secure.replica.arrivals.last?.fields[InternalField.cookie] == nil)
      }
      let status = try await secure.send(
        .post, "/settings/single/status", cookie: secure.gateway.logIn(), json: #"{"active":true}"#,
        fields: sameOrigin)
      #expect(status.head.status == .ok)
      #expect(!status.head.fields.contains(.setCookie))
    }
  }

  @Test("the cookie's attributes bind it to this host, TLS and its own pages")
  func attributes() {
    #expect(
      SessionCookie.holding("t", for: .seconds(90))
        == "__Host-trackme=t; Max-Age=90; Path=/; Secure; HttpOnly; SameSite=Strict")
    #expect(
      SessionCookie.removal
        == "__Host-trackme=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict")
  }
}
