import HTTP
import Operations
import PublicAPI
import Requirements
import Support
import Testing

@Suite("The gateway in front of a service")
struct ProxyTests {
  @Test(
    "a request with a token reaches the service with its caller, and is answered",
    .tags(.GW_1))
  func forward() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let token = gateway.logIn(account: 42)
    let response = try await gateway.send(.get, "/data/stats?types=heartRate", token: token)
    #expect(response.head.status == .ok)
    #expect(response.text == "{\"replica\":\"one\"}")
    let arrival = try #require(replica.arrivals.first)
    #expect(arrival.target == "/data/stats?types=heartRate")
    #expect(arrival.fields[InternalField.account] == "42")
    #expect(arrival.fields[InternalField.kind] == "single")
    #expect(arrival.fields[InternalField.client] == "127.0.0.1")
    #expect(arrival.fields[.authorization] == nil)
    #expect(arrival.fields[.xForwardedFor] == "127.0.0.1")
    #expect(response.head.fields[.requestID] == arrival.fields[.requestID])
    #expect(response.head.fields.count(of: .requestID) == 1)
    #expect(response.head.fields[.xContentTypeOptions] == "nosniff")
    #expect(response.head.fields[.cacheControl] == "no-store")
    await gateway.stop()
    await replica.stop()
  }

  @Test(
    "a trace of the client is the request's identifier, and has the gateway as its parent",
    .tags(.OPS_8))
  func trace() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let token = gateway.logIn()
    let response = try await gateway.send(
      .get, "/auth/me", token: token,
      fields: [("traceparent", "00-\(trace)-00f067aa0ba902b7-01")])
    _ = try await gateway.send(.get, "/auth/me", token: token, fields: [("traceparent", "00-x")])
    #expect(response.head.fields[.requestID] == trace)
    let arrivals = replica.arrivals
    #expect(arrivals.count == 2)
    let traced = try #require(arrivals.first).fields
    #expect(traced[.requestID] == trace)
    #expect(traced.count(of: .traceParent) == 1)
    let passed = try #require(traced[.traceParent])
    #expect(passed.hasPrefix("00-\(trace)-"))
    #expect(passed.hasSuffix("-01"))
    #expect(!passed.contains("00f067aa0ba902b7"))
    let malformed = try #require(arrivals.last).fields
    #expect(malformed[.traceParent] == nil)
    #expect(malformed[.requestID]?.utf8.count == 32)
    await gateway.stop()
    await replica.stop()
  }

  @Test("HEAD is answered like GET, without the body", .tags(.GW_1))
  func head() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let response = try await gateway.send(.head, "/auth/me", token: gateway.logIn())
    #expect(response.head.status == .ok)
    #expect(response.head.contentLength == 17)
    #expect(response.body.isEmpty)
    await gateway.stop()
    await replica.stop()
  }

  @Test("a problem of the service is relayed unchanged, with the request identifier", .tags(.GW_1))
  func problem() async throws {
    let replica = try await TestReplica.start { (_) throws(Problem) in
      throw Problem(.conflict, "Wrong state", detail: "Not now.")
    }
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let response = try await gateway.send(.get, "/auth/me", token: gateway.logIn())
    #expect(response.head.status == .conflict)
    #expect(response.member("detail") == "Not now.")
    #expect(response.member("requestID") == response.head.fields[.requestID])
    await gateway.stop()
    await replica.stop()
  }

  @Test("the body of a GET is neither forwarded nor parsed as another request", .tags(.GW_1))
  func bodyOfGet() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let response = try await gateway.send(
      .get, "/auth/me", token: gateway.logIn(), json: "GET /data/quota HTTP/1.1")
    #expect(response.head.status == .ok)
    #expect(replica.arrivals.map(\.target) == ["/auth/me"])
    #expect(replica.arrivals.first?.body == "")
    await gateway.stop()
    await replica.stop()
  }

  @Test("the access log has no path, query, token or address of a request")
  func log() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let token = gateway.logIn()
    let response = try await gateway.send(.get, "/data/stats?types=weight", token: token)
    let id = try #require(response.head.fields[.requestID])
    let line = try await eventually("the line of the log") {
      gateway.log.lines.first { $0.contains(id) }
    }
    #expect(line.contains("\"endpoint\":\"statistics\",\"status\":200"))
    for secret in ["weight", "/data", token, "127.0.0.1"] { #expect(!line.contains(secret)) }
    await gateway.stop()
    await replica.stop()
  }
}
