import Cryptography
import Domain
import FakeServices
import HTTP
import InternalAPI
import Operations
import PublicAPI
import Requirements
import Runs
import ServiceKit
import Testing
import Track4RunFixture
import Web

@Suite("The identifiers of calls that requests cause", .tags(.OPS_8))
struct CallIdentifierTests {
  @Test("a runner's request to join is found in the log of Data4Help by its trace")
  func join() async throws {
    try await RunFixture.with { fixture in
      try await FakeData4Help.with { fake in
        let dependencies = fixture.dependencies([fake.address])
        let routes = dependencies.routes { (_) throws(ApplicationError) in nil }
        let endpoint = Endpoint.joinRun
        let route = try #require(
          routes.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
        let runID = try await fixture.listed(try RunFixture.terms())
        let text = Array("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".utf8)
        let parsed = TraceParent(text.span)
        let trace = try #require(parsed)
        var head = RequestHead(.post, endpoint.path, authority: "test")
        head.trace = trace
        head.fields.append(.internalAccount, "1")
        head.fields.append(.internalKind, AccountKind.singleUser.rawValue)
        let session = TokenHash(digest: SHA256.digest(of: "token".utf8Span.span))
        head.fields.append(.internalSession, session.hexadecimal)
        let request = Request(
          head: head, body: .bytes(Array("{\"runID\":\(runID)}".utf8)), requestID: trace.trace)
        #expect(try await route.handler(request).status == .ok)
        let call = try #require(fake.orders.first)
        #expect(call.path == InternalPath.warnings)
        #expect(call.requestID == trace.trace)
        #expect(call.trace?.trace == trace.trace)
      }
    }
  }
}
