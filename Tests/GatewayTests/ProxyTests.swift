import EventLoop
import HTTP
import PublicAPI
import Requirements
import Testing

@Suite("The gateway in front of a service", .tags(.GW_1))
struct ProxyTests {
  @Test("a request with a token reaches the service with who calls, and its answer comes back")
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
}
