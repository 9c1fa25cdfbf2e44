import Cryptography
import Domain
import Gateway
import HTTP
import PublicAPI
import Requirements
import Support
import Testing
import Time

/// A head is remembered when it comes the second time, so that the third request is the first one
/// that leaves phases out.
@Suite("Heads that clients repeat")
struct KnownHeadTests {
  private static let times = 5

  private func withGateway(
    limits: RateLimits? = nil, _ body: (TestGateway, TestReplica) async throws -> Void
  ) async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address], limits: limits)
    try await body(gateway, replica)
    await gateway.stop()
    await replica.stop()
  }

  private static let sample =
    #"{"dataTypes":["heartRate"],"values":[70],"timestamp":["2026-01-01T00:00:00Z"]}"#

  @Test(
    "each repetition reaches the service with the same fields and its own number",
    .tags(.GW_1), arguments: [HTTPClientSettings.Version.http1, .http2])
  func same(_ version: HTTPClientSettings.Version) async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn(account: 42)
      let client = gateway.client(version)
      for method in [HTTPMethod.get, .head] {
        let head = TestGateway.head(
          method, "/auth/me", token: token, fields: [("accept-language", "it")])
        for _ in 0..<Self.times {
          let response = try await client.send(head, body: [])
          #expect(response.head.status == .ok)
          let number = response.head.fields[.requestID]
          #expect(number == replica.arrivals.last?.fields[.requestID])
          #expect(response.head.fields.count(of: .requestID) == 1)
          #expect(response.head.fields[.cacheControl] == "no-store")
          #expect(response.head.fields[.xContentTypeOptions] == "nosniff")
        }
      }
      client.shutDown()
      let arrivals = replica.arrivals
      #expect(arrivals.count == 2 * Self.times)
      #expect(Set(arrivals.map { $0.fields[.requestID] ?? "" }).count == arrivals.count)
      for (index, arrival) in arrivals.enumerated() {
        #expect(arrival.method == (index < Self.times ? "GET" : "HEAD"))
        #expect(arrival.target == "/auth/me")
        #expect(arrival.fields.count(of: .requestID) == 1)
        #expect(arrival.fields[InternalField.account] == "42")
        #expect(arrival.fields.count == arrivals[0].fields.count)
        #expect(arrival.fields[.acceptLanguage] == "it")
        #expect(arrival.fields[.authorization] == nil)
      }
    }
  }

  @Test("each repetition continues the trace of its own request", .tags(.OPS_8))
  func traces() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      let client = gateway.client(.http1)
      let plain = TestGateway.head(.get, "/auth/me", token: token)
      for number in 1...2 * Self.times {
        // Every second request has a trace, before its other fields or after them.
        let trace = String(repeating: "\(number % 10)", count: 31) + "a"
        var head = plain
        if number % 2 == 0 {
          head.fields = HTTPFields()
          if number % 4 == 0 { head.fields.append(contentsOf: plain.fields) }
          head.fields.append("traceparent", "00-\(trace)-00f067aa0ba902b7-01")
          if number % 4 == 2 { head.fields.append(contentsOf: plain.fields) }
        }
        let response = try await client.send(head, body: [])
        #expect(response.head.status == .ok)
        let arrival = try #require(replica.arrivals.last)
        let parent = arrival.fields["traceparent"]
        if number % 2 == 0 {
          #expect(parent?.hasPrefix("00-\(trace)-") == true && parent?.hasSuffix("-01") == true)
          #expect(parent?.contains("00f067aa0ba902b7") == false)
          #expect(response.head.fields[.requestID] == trace)
        } else {
          #expect(parent == nil)
        }
        #expect(arrival.fields[.requestID] == response.head.fields[.requestID])
        #expect(arrival.fields[InternalField.account] != nil)
      }
      client.shutDown()
    }
  }

  @Test("bodies of repeated heads are forwarded and checked each time", .tags(.GW_2))
  func bodies() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      let client = gateway.client(.http2)
      let head = TestGateway.head(.post, "/data/upload", token: token, isJSON: true)
      for _ in 0..<Self.times {
        let good = try await client.send(head, body: Array(Self.sample.utf8))
        #expect(good.head.status == .ok)
        let bad = try await client.send(head, body: Array(#"{"dataTypes":"heartRate"}"#.utf8))
        #expect(bad.head.status == .badRequest)
        let broken = try await client.send(head, body: Array("{".utf8))
        #expect(broken.head.status == .badRequest)
      }
      client.shutDown()
      #expect(replica.arrivals.count == Self.times)
      #expect(replica.arrivals.allSatisfy { $0.body == Self.sample })
    }
  }

  @Test("a session that ends is refused although its head was remembered", .tags(.GW_3))
  func ended() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.parts.tokens.issue(.session)
      gateway.sessions.insert(token.hash, TestGateway.session(7))
      for _ in 0..<Self.times {
        let response = try await gateway.send(.get, "/auth/me", token: token.text)
        #expect(response.head.status == .ok)
      }
      gateway.sessions.end(token.hash)
      let refused = try await gateway.send(.get, "/auth/me", token: token.text)
      #expect(refused.head.status == .unauthorized)
      #expect(replica.arrivals.count == Self.times)
    }
  }

  @Test("the same head of a session of another account names that account", .tags(.GW_3))
  func otherAccount() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.parts.tokens.issue(.session)
      for account in [7, 7, 7, 8, 8, 7] as [Int64] {
        gateway.sessions.insert(token.hash, TestGateway.session(account))
        let response = try await gateway.send(.get, "/auth/me", token: token.text)
        #expect(response.head.status == .ok)
      }
      let accounts = replica.arrivals.map { $0.fields[InternalField.account] }
      #expect(accounts == ["7", "7", "7", "8", "8", "7"])
    }
  }

  @Test("a head that differs in one byte is another one", .tags(.GW_1))
  func differing() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      for _ in 0..<Self.times {
        for language in ["it", "en"] {
          _ = try await gateway.send(
            .get, "/auth/me", token: token, fields: [("accept-language", language)])
        }
      }
      let languages = replica.arrivals.map { $0.fields[.acceptLanguage] }
      #expect(languages == (0..<Self.times).flatMap { _ in ["it", "en"] })
    }
  }

  @Test("a token in the body beside a remembered head must agree with it", .tags(.GW_3))
  func bodyToken() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      let client = gateway.client(.http2)
      let head = TestGateway.head(.post, "/data/upload", token: token, isJSON: true)
      for _ in 0..<Self.times {
        _ = try await client.send(head, body: Array(Self.sample.utf8))
      }
      let other = Self.sample.dropLast() + #","authToken":"x"}"#
      let response = try await client.send(head, body: Array(other.utf8))
      #expect(response.head.status == .badRequest)
      client.shutDown()
      #expect(replica.arrivals.count == Self.times)
    }
  }

  @Test("requests and health checks carry the root secret in use", .tags(.OPS_6, .GW_1))
  func renewedSecret() async throws {
    try await withGateway { gateway, replica in
      let token = gateway.logIn()
      func send() async throws {
        for _ in 0..<Self.times { _ = try await gateway.send(.get, "/auth/me", token: token) }
      }
      func secret() -> String {
        InternalSecret(root: gateway.root).withHeaderValue { String(copying: $0) }
      }
      let former = secret()
      try await send()
      let announced = try gateway.root.ring.announcing()
      gateway.root.use(announced.promoting(announced.identifiers[1]))
      await gateway.gateway.renewSecret()
      let new = secret()
      #expect(new != former)
      try await send()
      let sent = replica.arrivals.map { $0.fields[.internalSecret] }
      #expect(
        sent == Array(repeating: former, count: Self.times)
          + Array(repeating: new, count: Self.times))
      _ = try await eventually("a health check with the new secret") {
        replica.checkedWith == new ? true : nil
      }
    }
  }
}
