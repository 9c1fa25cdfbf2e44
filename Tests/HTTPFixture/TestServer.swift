import EventLoop
import HTTP
import Operations
import Web

/// A server with a router, on its own loop and a port chosen by the system.
package struct TestServer {
  package let loops: [EventLoop]
  package let server: HTTPServer
  package var address: SocketAddress { server.addresses[0] }

  package init(loops: [EventLoop], server: HTTPServer) {
    self.loops = loops
    self.server = server
  }

  package static func start(
    _ routes: [Route], loops loopCount: Int = 1, settings: HTTPServerSettings = .init(),
    log: Log = .none, at address: SocketAddress = .tcp(host: "127.0.0.1", port: 0),
    adjust: (inout Service) -> Void = { _ in }
  ) async throws -> TestServer {
    var service = Service(Router(routes), log: log)
    adjust(&service)
    return try await start(
      handlers: service.handlers, loops: loopCount, settings: settings, at: address)
  }

  package static func start(
    handlers: @escaping HTTPServer.HandlerFactory, loops loopCount: Int = 1,
    settings: HTTPServerSettings = .init(),
    at address: SocketAddress = .tcp(host: "127.0.0.1", port: 0)
  ) async throws -> TestServer {
    var loops: [EventLoop] = []
    for index in 0..<loopCount { loops.append(try EventLoop.start(name: "test\(index)")) }
    let server = try await HTTPServer.start(
      [address], on: loops, settings: settings, handlers: handlers)
    return TestServer(loops: loops, server: server)
  }

  package func stop() async {
    await server.stop()
    for loop in loops { loop.stop() }
  }
}
