import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import Testing
import Web

@Suite("A server with several addresses")
struct SeveralAddressesTests {
  private let any = SocketAddress.tcp(host: "127.0.0.1", port: 0)
  private let service = Service(
    Router([
      Route(.get, "/hello") { (_) throws(Problem) in
        Response(contentType: "text/plain", bytes: Array("hello".utf8))
      }
    ]), log: .none)

  @Test("all addresses share the limit of connections", .tags(.GW_5))
  func sharedLimit() async throws {
    let loop = try EventLoop.start(name: "test")
    var settings = HTTPServerSettings()
    settings.limits.connectionsMax = 1
    let server = try await HTTPServer.start(
      [any, any], on: [loop], settings: settings, handlers: service.handlers)
    let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
    let first = try RawClient(server.addresses[0])
    first.send(request)
    _ = await first.receive(until: "hello")
    let second = try RawClient(server.addresses[1])
    second.send(request)
    #expect(await second.receive(until: "hello").hasSuffix("hello"))
    #expect(await first.receiveAll().isEmpty)
    #expect(await server.connectionCount() == 1)
    withExtendedLifetime([first, second]) {}
    await server.stop()
    loop.stop()
  }

  @Test("an address in use is named, and the others are closed again")
  func inUse() async throws {
    let loop = try EventLoop.start(name: "test")
    let busy = try await HTTPServer.start([any], on: [loop], handlers: service.handlers)
    // Only this test uses this address: another one could be given a released port of 127.0.0.1.
    let own = SocketAddress.tcp(host: "127.0.0.78", port: 0)
    let other = try await HTTPServer.start([own], on: [loop], handlers: service.handlers)
    let free = other.addresses[0]
    await other.stop()
    let error = await #expect(throws: ListenError.self) {
      _ = try await HTTPServer.start(
        [free, busy.addresses[0]], on: [loop], handlers: service.handlers)
    }
    #expect(error?.address == busy.addresses[0])
    let again = try await HTTPServer.start([free], on: [loop], handlers: service.handlers)
    await again.stop()
    await busy.stop()
    loop.stop()
  }
}
