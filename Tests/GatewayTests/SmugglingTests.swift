import HTTP
import HTTPFixture
import PublicAPI
import Requirements
import Testing

@Suite("Requests that two parsers could interpret differently", .tags(.GW_1))
struct SmugglingTests {
  /// Sends bytes to a gateway; returns its response and the requests that reached the service.
  private func exchange(
    _ bytes: (String) -> String
  ) async throws -> (answer: String, arrivals: [TestReplica.Arrival]) {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let client = try RawClient(gateway.address)
    client.send(bytes(gateway.logIn()))
    let answer = await client.receiveAll()
    await gateway.stop()
    await replica.stop()
    return (answer, replica.arrivals)
  }

  @Test(
    "ambiguous framing is 400, and does not reach the service",
    arguments: [
      "Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2, 3\r\n",
      "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "Content-Length: +2\r\n",
      "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding: xchunked\r\n", " Content-Length: 2\r\n",
    ])
  func framing(_ fields: String) async throws {
    let (answer, arrivals) = try await exchange { token in
      "POST /auth/logout HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\(fields)\r\n"
        + "{}GET /auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }
    #expect(answer.hasPrefix("HTTP/1.1 400"))
    #expect(arrivals.isEmpty)
  }

  @Test(
    "internal fields in any spelling do not change the caller's identity",
    arguments: [
      "X-TrackMe-Account", "x_trackme_account", "X-Trackme_Account", "xtrackme-account",
      "X--TrackMe-Account",
    ])
  func internalFields(_ name: String) async throws {
    let (answer, arrivals) = try await exchange { token in
      "GET /auth/me HTTP/1.1\r\nHost: a\r\n\(name): 99\r\nx-trackme-kind: tp\r\n"
        + "Authorization: Bearer \(token)\r\nConnection: close\r\n\r\n"
    }
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    let arrival = try #require(arrivals.first)
    var values: [String] = []
    arrival.fields.forEach { _, name, value in
      let spelling = String(copying: name).filter { $0.isLetter }
      if spelling.hasPrefix("xtrackmeaccount") || spelling.hasPrefix("xtrackmekind") {
        values.append(String(copying: value))
      }
    }
    #expect(values == ["7", "single"])
  }

  @Test("the absolute form is equivalent, and a different host in it is refused")
  func absoluteForm() async throws {
    let (answer, arrivals) = try await exchange { token in
      "GET http://a/auth/me?x=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
        + "Connection: close\r\n\r\n"
    }
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(arrivals.first?.target == "/auth/me?x=1")
    let (refused, none) = try await exchange { token in
      "GET http://b/auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }
    #expect(refused.hasPrefix("HTTP/1.1 400"))
    #expect(none.isEmpty)
  }

  @Test(
    "paths not in normal form are refused",
    arguments: ["//auth/me", "/auth%2Fme", "/auth/../auth/me", "/auth/me%2e", "/auth;/me/.."])
  func paths(_ path: String) async throws {
    let (answer, arrivals) = try await exchange { token in
      "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
        + "Connection: close\r\n\r\n"
    }
    #expect(answer.hasPrefix("HTTP/1.1 400"))
    #expect(arrivals.isEmpty)
  }

  @Test("two different tokens, and two idempotency keys, are refused")
  func twice() async throws {
    let (answer, arrivals) = try await exchange { token in
      "GET /auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
        + "Authorization: Bearer x\r\nConnection: close\r\n\r\n"
    }
    #expect(answer.hasPrefix("HTTP/1.1 400"))
    #expect(arrivals.isEmpty)
    let (keys, none) = try await exchange { token in
      "POST /auth/logout HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
        + "Idempotency-Key: 1\r\nIdempotency-Key: 2\r\nConnection: close\r\n\r\n"
    }
    #expect(keys.hasPrefix("HTTP/1.1 400"))
    #expect(none.isEmpty)
  }

  @Test(
    "a tunnel and an authority with other characters are 400 over HTTP/2, as over HTTP/1.1",
    arguments: [(HTTPMethod.connect, "a"), (.get, "user@a"), (.get, "a:b"), (.get, "[::1")])
  func authority(_ method: HTTPMethod, _ authority: String) async throws {
    let (answer, none) = try await exchange { token in
      let target = method == .connect ? "a:443" : "/auth/me"
      return "\(method.text) \(target) HTTP/1.1\r\nHost: \(authority)\r\n"
        + "Authorization: Bearer \(token)\r\n\r\n"
    }
    #expect(answer.hasPrefix("HTTP/1.1 400"))
    #expect(none.isEmpty)
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let client = gateway.client(.http2)
    var head = RequestHead(method, "/auth/me", authority: authority)
    head.fields.append(.authorization, "Bearer \(gateway.logIn())")
    let refused = try await client.send(head)
    #expect(refused.head.status == .badRequest)
    // The connection serves the next request.
    head = TestGateway.head(.get, "/auth/me", token: gateway.logIn())
    let served = try await client.send(head)
    #expect(served.head.status == .ok)
    #expect(replica.arrivals.count == 1)
    client.shutDown()
    await gateway.stop()
    await replica.stop()
  }
}
