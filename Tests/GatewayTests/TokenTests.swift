import Cryptography
import Domain
import EventLoop
import Gateway
import HTTP
import Operations
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Tokens at the gateway", .tags(.GW_3))
struct TokenTests {
  private func withGateway(
    idle: Duration = .seconds(86_400), _ body: (TestGateway, TestReplica) async throws -> Void
  ) async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address], idle: idle)
    try await body(gateway, replica)
    await gateway.stop()
    await replica.stop()
  }

  @Test("a missing token is refused with the text and status of the endpoint", .tags(.R5))
  func missing() async throws {
    try await withGateway { gateway, replica in
      let stats = try await gateway.send(.get, "/data/stats")
      #expect(stats.head.status == .forbidden)
      #expect(stats.error == "Wrong parameters")
      let me = try await gateway.send(.get, "/auth/me")
      #expect(me.head.status == .unauthorized)
      #expect(me.error == "Wrong token")
      #expect(me.head.fields[.wwwAuthenticate] == "Bearer")
      let request = try await gateway.send(
        .post, "/req/tp/sendSingle",
        json: #"{"email":"a@example.org","dataTypes":["heartRate"],"subscribing":false}"#)
      #expect(request.head.status == .unauthorized)
      #expect(request.error == "Wrong parameters")
      #expect(replica.arrivals.isEmpty)
    }
  }

  @Test("forged tokens, and those of other kinds, are refused without a look-up", .tags(.R5))
  func forged() async throws {
    try await withGateway { gateway, replica in
      let other = TokenAuthority(root: .random())
      let tokens = [
        "x", other.issue(.session).text, gateway.parts.tokens.issue(.activation).text,
      ]
      for token in tokens {
        let response = try await gateway.send(.get, "/auth/me", token: token)
        #expect(response.head.status == .unauthorized)
      }
      #expect(gateway.source.lookupCount == 0)
      #expect(replica.arrivals.isEmpty)
    }
  }

  @Test("a genuine token that is not in memory is looked up once, found or not")
  func unknown() async throws {
    try await withGateway { gateway, _ in
      let absent = gateway.parts.tokens.issue(.session)
      gateway.source.give(absent.hash, .absent)
      let refused = try await gateway.send(.get, "/auth/me", token: absent.text)
      #expect(refused.head.status == .unauthorized)
      let open = gateway.parts.tokens.issue(.session)
      gateway.source.give(open.hash, .open(TestGateway.session(3)))
      let served = try await gateway.send(.get, "/auth/me", token: open.text)
      #expect(served.head.status == .ok)
      let away = gateway.parts.tokens.issue(.session)
      gateway.source.give(away.hash, .unavailable("down"))
      let unavailable = try await gateway.send(.get, "/auth/me", token: away.text)
      #expect(unavailable.head.status == .unavailable)
      #expect(unavailable.head.fields[.retryAfter] != nil)
      #expect(gateway.source.lookupCount == 3)
    }
  }

  @Test("a token of the wrong kind of account is treated as a wrong token", .tags(.R1))
  func wrongKind() async throws {
    try await withGateway { gateway, replica in
      let company = gateway.logIn(.thirdParty)
      let stats = try await gateway.send(.get, "/data/stats", token: company)
      #expect(stats.head.status == .forbidden)
      #expect(stats.error == "Wrong parameters")
      let me = try await gateway.send(.get, "/auth/me", token: company)
      #expect(me.head.status == .ok)
      #expect(replica.arrivals.count == 1)
    }
  }

  @Test("a row read before a logout does not restore the session")
  func lateRow() {
    let sessions = SessionTable(idle: .seconds(60))
    let (now, token) = (
      Environment.system.now(), TokenHash(digest: SHA256.digest(of: "a".utf8Span.span))
    )
    let session = Session(
      account: AccountID(rawValue: 7), kind: .singleUser, expiresAt: now + .seconds(60),
      lastUsedAt: now)
    sessions.insert(token, session)
    #expect(sessions.isOpen(token, at: now))
    sessions.end(token)
    sessions.insert(token, session)
    #expect(!sessions.isOpen(token, at: now))
    #expect(sessions.find(token, at: now) == .unknown)
  }

  @Test("API keys and device tokens are valid only for their endpoints", .tags(.ACC_10, .DAT_3))
  func otherBearers() async throws {
    try await withGateway(idle: .seconds(60)) { gateway, replica in
      let tokens = gateway.parts.tokens
      let (key, device) = (tokens.issue(.apiKey), tokens.issue(.device))
      let rested = Environment.system.now() + .seconds(-3600)
      let end = Environment.system.now() + .seconds(3600)
      gateway.sessions.insert(
        key.hash,
        Session(
          account: AccountID(rawValue: 7), kind: .thirdParty, bearer: .program, expiresAt: end,
          lastUsedAt: rested))
      gateway.sessions.insert(
        device.hash,
        Session(
          account: AccountID(rawValue: 8), kind: .singleUser, bearer: .device(3), expiresAt: end,
          lastUsedAt: rested))
      // A stream opened with a key stays open without further requests.
      #expect(gateway.sessions.isOpen(key.hash, at: Environment.system.now()))
      #expect(!gateway.sessions.isOpen(key.hash, at: end))
      #expect(try await gateway.send(.get, "/req/tp/list", token: key.text).head.status == .ok)
      #expect(replica.arrivals.last?.fields["x-trackme-bearer"] == "program")
      for path in ["/auth/me", "/auth/keys"] {
        let refused = try await gateway.send(.get, path, token: key.text)
        #expect(refused.head.status == .unauthorized)
      }
      let batch =
        #"{"dataTypes":["steps"],"values":[1],"timestamp":["2024-01-15T10:00:00Z"]}"#
      let upload = try await gateway.send(.post, "/data/upload", token: device.text, json: batch)
      #expect(upload.head.status == .ok)
      #expect(replica.arrivals.last?.fields["x-trackme-bearer"] == "3")
      let stats = try await gateway.send(.get, "/data/stats", token: device.text)
      #expect(stats.head.status == .forbidden)
      #expect(replica.arrivals.count == 2)
    }
  }

  @Test("path parameters are checked after the token", .tags(.GW_2))
  func path() async throws {
    try await withGateway { gateway, replica in
      let wrong = try await gateway.send(.delete, "/devices/x", token: "x")
      #expect(wrong.head.status == .unauthorized)
      let token = gateway.logIn()
      let mistyped = try await gateway.send(.delete, "/devices/x", token: token)
      #expect(mistyped.head.status == .badRequest)
      #expect(mistyped.field == "deviceID")
      #expect(replica.arrivals.isEmpty)
      #expect(try await gateway.send(.delete, "/devices/1", token: token).head.status == .ok)
      #expect(replica.arrivals.last?.target == "/devices/1")
    }
  }

  @Test("a session that has expired or was idle too long is refused", .tags(.ACC_7))
  func expired() async throws {
    try await withGateway(idle: .seconds(60)) { gateway, _ in
      let expired = gateway.parts.tokens.issue(.session)
      gateway.sessions.insert(expired.hash, TestGateway.session(1, expiresIn: .zero))
      let first = try await gateway.send(.get, "/auth/me", token: expired.text)
      #expect(first.head.status == .unauthorized)
      let idle = gateway.parts.tokens.issue(.session)
      var session = TestGateway.session(1)
      session.lastUsedAt = session.lastUsedAt + .seconds(-61)
      gateway.sessions.insert(idle.hash, session)
      let second = try await gateway.send(.get, "/auth/me", token: idle.text)
      #expect(second.head.status == .unauthorized)
      // Another gateway may have served it, so the database was queried.
      #expect(gateway.source.lookupCount == 1)
    }
  }

  @Test("an ended session is refused from then on")
  func ended() async throws {
    try await withGateway { gateway, _ in
      let token = gateway.parts.tokens.issue(.session)
      gateway.sessions.insert(token.hash, TestGateway.session(1))
      #expect(try await gateway.send(.get, "/auth/me", token: token.text).head.status == .ok)
      gateway.sessions.remove(token.hash)
      let after = try await gateway.send(.get, "/auth/me", token: token.text)
      #expect(after.head.status == .unauthorized)
    }
  }

  @Test("a token in the body or in the query of a GET is accepted, and not forwarded there")
  func places() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      let query = try await gateway.send(.get, "/data/stats?authToken=\(token)&types=steps")
      #expect(query.head.status == .ok)
      #expect(query.head.fields[.cacheControl] == "no-store")
      #expect(replica.arrivals.last?.target == "/data/stats?types=steps")
      let body = try await gateway.send(
        .post, "/auth/logout", json: "{\"authToken\":\"\(token)\"}")
      #expect(body.head.status == .ok)
      #expect(replica.arrivals.last?.body == "")
      let both = try await gateway.send(
        .get, "/auth/me?authToken=\(gateway.logIn())", token: token)
      #expect(both.head.status == .badRequest)
      #expect(both.error == "Malformed request")
      try await gateway.untilLogged(both)
      for line in gateway.log.lines { #expect(!line.contains(token)) }
    }
  }

  @Test("the token is checked before the body's fields, and after its syntax")
  func order() async throws {
    try await withGateway { gateway, replica in
      let unread = try await gateway.send(.post, "/data/upload", token: "x", json: "{")
      #expect(unread.head.status == .badRequest)
      let unfit = try await gateway.send(.post, "/data/upload", token: "x", json: "{}")
      #expect(unfit.head.status == .forbidden)
      let token = gateway.logIn()
      let missing = try await gateway.send(.post, "/data/upload", token: token, json: "{}")
      #expect(missing.head.status == .badRequest)
      #expect(missing.field == "dataTypes")
      let query = try await gateway.send(.get, "/data/series", token: token)
      #expect(query.head.status == .badRequest)
      #expect(query.field == "type")
      #expect(replica.arrivals.isEmpty)
    }
  }
}
