import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Synchronization
import Testing
import Web

/// Events of a handler, passed to the test.
private final class Observation: Sendable {
  private let continuation: AsyncStream<String>.Continuation
  let events: AsyncStream<String>

  init() { (events, continuation) = AsyncStream.makeStream() }

  func note(_ event: String) { continuation.yield(event) }

  func first() async -> String? {
    for await event in events { return event }
    return nil
  }
}

@Suite("A server with misbehaving clients")
struct LiveBehaviourTests {
  private let hello = Route(.get, "/hello") { (_) throws(Problem) in
    Response(contentType: "text/plain", bytes: Array("hello".utf8))
  }

  private func short(_ change: (inout HTTPTimeouts) -> Void) -> HTTPServerSettings {
    var settings = HTTPServerSettings()
    change(&settings.timeouts)
    return settings
  }

  /// Settings without effective time-outs, for tests that count connections on a busy machine.
  private var patient: HTTPServerSettings {
    short {
      $0.firstRequest = .seconds(3600)
      $0.head = .seconds(3600)
      $0.idle = .seconds(3600)
      $0.write = .seconds(3600)
    }
  }

  @Test("a client with a slow head receives 408", .tags(.GW_5))
  func slowHead() async throws {
    let server = try await TestServer.start(
      [hello], settings: short { $0.head = .milliseconds(50) })
    let client = try RawClient(server.address)
    client.send("GET /hello HTTP/1.1\r\nHo")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    await server.stop()
  }

  @Test("a client with a slow body receives 408", .tags(.GW_5))
  func slowBody() async throws {
    let echo = Route(.post, "/echo") { (request) throws(Problem) in
      Response(contentType: "text/plain", bytes: request.body.bytes)
    }
    let server = try await TestServer.start(
      [echo], settings: short { $0.bodyIdle = .milliseconds(50) })
    let client = try RawClient(server.address)
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    await server.stop()
  }

  @Test("an idle connection is closed without a response", .tags(.GW_5))
  func idle() async throws {
    let server = try await TestServer.start(
      [hello], settings: short { $0.firstRequest = .milliseconds(50) })
    let client = try RawClient(server.address)
    #expect(await client.receiveAll().isEmpty)
    await server.stop()
  }

  @Test("a client that reads nothing is disconnected, and the writer notified", .tags(.GW_5))
  func noReader() async throws {
    let observation = Observation()
    let endless = Route(.get, "/endless") { (_) throws(Problem) in
      .stream(contentType: "text/plain") { writer in
        do {
          while true { try await writer.write([UInt8](repeating: 0x61, count: 65536)) }
        } catch {
          observation.note("\(error)")
          throw error
        }
      }
    }
    let server = try await TestServer.start(
      [endless], settings: short { $0.write = .milliseconds(200) })
    let client = try RawClient(server.address)
    client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await observation.first() == "aborted")
    await server.stop()
    withExtendedLifetime(client) {}
  }

  @Test("a client that disconnects within its body ends the reader")
  func disconnect() async throws {
    let observation = Observation()
    let upload = Route(.post, "/upload", streamsBody: true) { (request) throws(Problem) in
      guard case .stream(let reader) = request.body else { throw .internalError }
      do throws(BodyReader.Failure) {
        while let part = try await reader.next() {
          if observation.isFirst(part) { observation.note("begun") }
        }
      } catch {
        observation.note("\(error)")
      }
      return Response()
    }
    let server = try await TestServer.start([upload])
    var client: RawClient? = try RawClient(server.address)
    client?.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
    #expect(await observation.first() == "begun")
    client = nil
    #expect(await observation.first() == "aborted")
    await server.stop()
  }

  @Test("a body over the route's limit is answered with 413 before it is read", .tags(.GW_5))
  func tooLarge() async throws {
    let small = Route(.post, "/small", bodyBytesMax: 4) { (request) throws(Problem) in
      Response(contentType: "text/plain", bytes: request.body.bytes)
    }
    let server = try await TestServer.start([small])
    let post = "POST /small HTTP/1.1\r\nHost: a\r\n"
    let exact = try RawClient(server.address)
    exact.send(post + "Content-Length: 4\r\nConnection: close\r\n\r\nabcd")
    #expect(await exact.receiveAll().hasSuffix("abcd"))
    let announced = try RawClient(server.address)
    announced.send(post + "Content-Length: 5\r\nConnection: close\r\n\r\nabcde")
    let answer = await announced.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("\"error\":\"Too large\""))
    let chunked = try RawClient(server.address)
    chunked.send(
      post + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nabcde\r\n0\r\n\r\n")
    #expect(await chunked.receiveAll().hasPrefix("HTTP/1.1 413 "))
    let huge = try RawClient(server.address)
    huge.send(post + "Content-Length: 100000000\r\n\r\n")
    huge.send([UInt8](repeating: 0x61, count: 4_000_000))
    #expect(await huge.receiveAll().hasPrefix("HTTP/1.1 413 "))
    await server.stop()
  }

  @Test("stopping lets a request finish, closes idle connections and accepts no new ones")
  func drain() async throws {
    let observation = Observation()
    let gate = AsyncStream<Void>.makeStream()
    let slow = Route(.get, "/slow") { (_) throws(Problem) in
      observation.note("begun")
      for await _ in gate.stream { break }
      return Response(contentType: "text/plain", bytes: Array("done".utf8))
    }
    let server = try await TestServer.start([slow, hello])
    let idle = try RawClient(server.address)
    idle.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = await idle.receive(until: "hello")
    let busy = try RawClient(server.address)
    busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await observation.first() == "begun")
    async let stopped: Void = server.server.stop()
    #expect(await idle.receive() == nil)
    #expect(throws: (any Error).self) { try RawClient(server.address) }
    gate.continuation.yield()
    let answer = await busy.receiveAll()
    #expect(answer.hasSuffix("done") && answer.contains("connection: close\r\n"))
    await stopped
    for loop in server.loops { loop.stop() }
  }

  @Test("requests that do not finish within the drain time are aborted")
  func drainDeadline() async throws {
    let observation = Observation()
    let never = Route(.get, "/never") { (_) throws(Problem) in
      .stream(contentType: "text/plain") { writer in
        try await writer.write(Array("begun".utf8))
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }
    }
    let server = try await TestServer.start(
      [never], settings: short { $0.drain = .milliseconds(50) })
    let client = try RawClient(server.address)
    client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await client.receive(until: "begun").contains("begun"))
    await server.stop()
    #expect(await client.receive() == nil)
    _ = observation
  }

  @Test("64 connections are served at the same time, on two loops")
  func manyConnections() async throws {
    let server = try await TestServer.start([hello], loops: 2, settings: patient)
    let clients = try (0..<64).map { _ in try RawClient(server.address) }
    for client in clients { client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n") }
    for client in clients { #expect(await client.receive(until: "hello").hasSuffix("hello")) }
    #expect(await server.server.connectionCount() == 64)
    // A client may be released after its last use, and its connection with it.
    withExtendedLifetime(clients) {}
    await server.stop()
  }

  @Test("connections over the limit wait until another is closed", .tags(.GW_5))
  func connectionLimit() async throws {
    var settings = patient
    settings.limits.connectionsMax = 1
    let endless = Route(.get, "/endless") { (_) throws(Problem) in
      .stream(contentType: "text/plain") { writer in
        while true { try await writer.write([UInt8](repeating: 0x61, count: 65536)) }
      }
    }
    let server = try await TestServer.start([hello, endless], settings: settings)
    var first: RawClient? = try RawClient(server.address)
    first?.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = await first?.receive(until: "aaaa")
    let second = try RawClient(server.address)
    second.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await server.server.connectionCount() == 1)
    // A client may be released after its last use, and its connection with it.
    withExtendedLifetime(first) {}
    first = nil
    #expect(await second.receive(until: "hello").hasSuffix("hello"))
    await server.stop()
  }

  /// 16 MiB do not fit into the kernel's buffers.
  @Test(
    "a connection over the limit replaces one whose response was sent", .tags(.GW_5),
    arguments: [4, 16 << 20])
  func becomingIdle(_ count: Int) async throws {
    var settings = patient
    settings.limits.connectionsMax = 1
    let begun = AsyncStream<Void>.makeStream()
    let gate = AsyncStream<Void>.makeStream()
    let slow = Route(.get, "/slow") { (_) throws(Problem) in
      begun.continuation.yield()
      for await _ in gate.stream { break }
      return Response(contentType: "text/plain", bytes: Array(repeating: 0x78, count: count))
    }
    let server = try await TestServer.start([hello, slow], settings: settings)
    let first = try RawClient(server.address)
    first.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    for await _ in begun.stream { break }
    let second = try RawClient(server.address)
    second.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    gate.continuation.yield()
    let end = "\r\n\r\n" + String(repeating: "x", count: count)
    #expect(await first.receiveAll().hasSuffix(end))
    #expect(await second.receive(until: "hello").hasSuffix("hello"))
    await server.stop()
  }

  @Test("connections that are closing do not let a server exceed its limit", .tags(.GW_5))
  func closing() async throws {
    var settings = patient
    settings.limits.connectionsMax = 2
    let server = try await TestServer.start([hello], settings: settings)
    var refused: [RawClient] = []
    for _ in 0..<8 {
      let client = try RawClient(server.address)
      client.send("x\r\n\r\n")
      #expect(await client.receive(until: "400").contains(" 400 "))
      #expect(await server.server.connectionCount() <= 2)
      refused.append(client)
    }
    let next = try RawClient(server.address)
    next.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await next.receive(until: "hello").hasSuffix("hello"))
    refused = []
    withExtendedLifetime(next) {}
    await server.stop()
  }

  @Test("several clients over the limit are served one after the other", .tags(.GW_5))
  func severalReplacements() async throws {
    var settings = patient
    settings.limits.connectionsMax = 1
    let server = try await TestServer.start([hello], settings: settings)
    let clients = try (0..<4).map { _ in try RawClient(server.address) }
    for client in clients { client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n") }
    for client in clients {
      #expect(await client.receive(until: "hello").hasSuffix("hello"))
    }
    await server.stop()
    withExtendedLifetime(clients) {}
  }

  @Test("at the limit the connection that has been idle longest is closed", .tags(.GW_5))
  func makingWay() async throws {
    var settings = patient
    settings.limits.connectionsMax = 3
    let server = try await TestServer.start([hello], settings: settings)
    let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
    let used = try RawClient(server.address)
    used.send(request)
    _ = await used.receive(until: "hello")
    let silent = try RawClient(server.address)
    let begun = try RawClient(server.address)
    begun.send("GET /hello HTTP/1.1\r\nHo")
    try await eventually("three connections") { await server.server.connectionCount() >= 3 }
    // The used connection has now been idle for the shortest time, and the silent one for the
    // longest.
    used.send(request)
    _ = await used.receive(until: "hello")
    let next = try RawClient(server.address)
    next.send(request)
    #expect(await next.receive(until: "hello").hasSuffix("hello"))
    #expect(await silent.receiveAll().isEmpty)
    used.send(request)
    #expect(await used.receive(until: "hello").hasSuffix("hello"))
    #expect(await server.server.connectionCount() == 3)
    // A client may be released after its last use, and its connection with it.
    withExtendedLifetime([used, begun, next]) {}
    await server.stop()
  }

  @Test("an address may open connections up to a limit, and another after a close", .tags(.GW_5))
  func perAddress() async throws {
    var settings = patient
    settings.limits.connectionsPerAddressMax = 2
    let server = try await TestServer.start([hello], settings: settings)
    let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
    let first = try RawClient(server.address)
    first.send(request)
    _ = await first.receive(until: "hello")
    var second: RawClient? = try RawClient(server.address)
    second?.send(request)
    _ = await second?.receive(until: "hello")
    #expect(await (try RawClient(server.address)).receiveAll().isEmpty)
    withExtendedLifetime(second) {}
    second = nil
    try await eventually("the close") { await server.server.connectionCount() <= 1 }
    let third = try RawClient(server.address)
    third.send(request)
    #expect(await third.receive(until: "hello").hasSuffix("hello"))
    // A client may be released after its last use, and its connection with it.
    withExtendedLifetime([first, third]) {}
    await server.stop()
  }

  @Test("a writer may demand a minimum rate of its reader", .tags(.GW_5), .timeLimit(.minutes(5)))
  func leastRate() async throws {
    let observation = Observation()
    let endless = Route(.get, "/endless") { (_) throws(Problem) in
      .stream(contentType: "text/plain") { writer in
        writer.demand(bytesPerSecond: 1 << 30, over: .milliseconds(100))
        do {
          while true { try await writer.write([UInt8](repeating: 0x61, count: 65536)) }
        } catch {
          observation.note("\(error)")
          throw error
        }
      }
    }
    let server = try await TestServer.start(
      [endless], settings: short { $0.write = .seconds(3600) })
    let client = try RawClient(server.address)
    client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await observation.first() == "aborted")
    withExtendedLifetime(client) {}
    await server.stop()
  }

  @Test("a Unix-domain socket is served by all loops, and a stale one is replaced")
  func unixSocket() async throws {
    let path = "/tmp/trackme-http-\(UInt32.random(in: 0 ... .max)).sock"
    for _ in 0..<2 {
      let server = try await TestServer.start([hello], loops: 2, at: .unix(path: path))
      for _ in 0..<4 {
        let client = try RawClient(.unix(path: path))
        client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.receive(until: "hello").hasSuffix("hello"))
      }
      await #expect(throws: ListenError.self) {
        _ = try await TestServer.start([hello], at: .unix(path: path))
      }
      await server.stop()
    }
  }

  @Test("a port in use is detected")
  func portInUse() async throws {
    let server = try await TestServer.start([hello], loops: 2)
    await #expect(throws: ListenError.self) {
      _ = try await TestServer.start([hello], loops: 2, at: server.address)
    }
    await server.stop()
  }
}

extension Observation {
  fileprivate func isFirst(_ part: [UInt8]) -> Bool { part.first == 0x61 }
}
