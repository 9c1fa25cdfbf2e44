import Gateway
import HTTP
import InternalAPI
import Testing

@Suite("Internal paths of the services")
struct InternalPathTests {
  @Test("the gateway forwards no internal path in any spelling, and answers itself")
  func notForwarded() async throws {
    // Without a replica, a forwarded request would be answered with 502 or 503.
    let gateway = try await TestGateway.start(data4help: [])
    for path in InternalPath.all {
      for method in [HTTPMethod.get, .post] {
        let answer = try await gateway.send(method, path, json: method == .get ? nil : "{}")
        #expect(answer.head.status == .notFound)
      }
      for spelling in ["/\(path)", "\(path)/", "/%69nternal\(path.dropFirst(9))"] {
        let answer = try await gateway.send(.post, spelling, json: "{}")
        #expect(answer.head.status == .notFound || answer.head.status == .badRequest)
      }
    }
    await gateway.stop()
  }
}
