import CLinux
import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Synchronization
import Testing
import Time
import Web

/// A server that reads a request and then performs the test's script, byte by byte.
private final class Impostor: RequestHandler {
  private let act: (any ServerStream) -> Void
  private var stream: (any ServerStream)?

  init(_ act: @escaping (any ServerStream) -> Void) { self.act = act }

  func received(head: RequestHead, on stream: any ServerStream) { self.stream = stream }
  func received(body: Span<UInt8>) {}
  func receivedEnd() { if let stream { act(stream) } }
  func aborted(_ reason: StreamAbort) {}
  func drained() {}
}

/// A loopback port that refuses every connection. It stays bound, so that no other test can use it.
private final class RefusingPort {
  let address: SocketAddress
  private let descriptor: Int32

  init() throws {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptor = made
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(made, pointer, length) == 0 && getsockname(made, pointer, &length) == 0
      }
    }
    try #require(isBound)
    address = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: name.sin_port))
  }

  deinit { _ = close(descriptor) }
}

@Suite("Failures reported to a client")
struct ClientFailureTests {
  private func failure(
    _ version: HTTPClientSettings.Version, timeouts: HTTPTimeouts = HTTPTimeouts(),
    within limit: Duration? = nil, _ act: @escaping @Sendable (any ServerStream) -> Void
  ) async throws -> StreamFailure? {
    let server = try await TestServer.start(handlers: { _ in { Impostor(act) } })
    var settings = HTTPClientSettings()
    settings.version = version
    settings.timeouts = timeouts
    let failure = await failure(
      of: HTTPClient(
        to: server.address, on: server.loops[0], settings: settings), within: limit)
    await server.stop()
    return failure
  }

  private func failure(
    of client: HTTPClient, within limit: Duration? = nil
  ) async -> StreamFailure? {
    defer { client.shutDown() }
    do throws(HTTPClientError) {
      _ = try await client.send(RequestHead(.post, "/", authority: "a"), within: limit)
      return nil
    } catch {
      guard case .failed(let failure) = error else { return nil }
      return failure
    }
  }

  @Test(
    "a refused connection is reported as unprocessed", .tags(.GW_1),
    arguments: LiveClientTests.versions)
  func refused(_ version: HTTPClientSettings.Version) async throws {
    let port = try RefusingPort()
    let loop = try EventLoop.start(name: "client")
    var settings = HTTPClientSettings()
    settings.version = version
    let client = HTTPClient(to: port.address, on: loop, settings: settings)
    #expect(await failure(of: client) == StreamFailure(.connectFailed, .unprocessed))
    let path = HTTPClient(to: .unix(path: "/nonexistent/socket"), on: loop, settings: settings)
    #expect(await failure(of: path) == StreamFailure(.connectFailed, .unprocessed))
    withExtendedLifetime(port) {}
    loop.stop()
  }

  /// A client that speaks TLS to a server that does not.
  private func secureClient(
    of server: LoopbackListener, _ version: HTTPClientSettings.Version, on loop: EventLoop,
    timeouts: HTTPTimeouts = HTTPTimeouts()
  ) throws -> HTTPClient {
    let certificate = try SelfSignedCertificate(
      now: Instant.system.microsecondsSince1970 / 1_000_000)
    var settings = HTTPClientSettings()
    settings.version = version
    settings.timeouts = timeouts
    settings.tls = try TLSContext(
      clientTrusting: .certificates(certificate.identity.certificateChain),
      protocols: [version == .http1 ? .http1 : .http2])
    settings.serverName = "localhost"
    return HTTPClient(
      to: .tcp(host: "127.0.0.1", port: server.port), on: loop, settings: settings)
  }

  @Test(
    "a server that closes within the handshake has not refused the connection", .tags(.GW_1),
    arguments: LiveClientTests.versions)
  func closedInHandshake(_ version: HTTPClientSettings.Version) async throws {
    let loop = try EventLoop.start(name: "client")
    // Closes after the first byte of the client's first message.
    let server = try LoopbackListener { _ = $0.readByte() }
    defer { server.stop() }
    let client = try secureClient(of: server, version, on: loop)
    #expect(await failure(of: client) == StreamFailure(.handshakeFailed, .unprocessed))
    loop.stop()
  }

  @Test(
    "a server that is silent in the handshake is reported as a time-out", .tags(.GW_1),
    arguments: LiveClientTests.versions)
  func silentInHandshake(_ version: HTTPClientSettings.Version) async throws {
    let loop = try EventLoop.start(name: "client")
    // Reads until the client closes.
    let server = try LoopbackListener { while $0.readByte() != nil {} }
    defer { server.stop() }
    var timeouts = HTTPTimeouts()
    timeouts.connect = .milliseconds(50)
    let client = try secureClient(of: server, version, on: loop, timeouts: timeouts)
    #expect(await failure(of: client) == StreamFailure(.connectTimedOut, .unprocessed))
    loop.stop()
  }

  @Test("a connection aborted in its first turn does not affect the next one", .tags(.GW_1))
  func abortedAtOnce() async throws {
    let server = try await TestServer.start([
      Route(.get, "/") { (_) throws(Problem) in Response(contentType: "text/plain", bytes: [65]) }
    ])
    let (loop, address) = (server.loops[0], server.address)
    for _ in 0..<20 {
      let isAnswered = await withCheckedContinuation { continuation in
        loop.execute {
          ClientConnection(to: address, on: loop).abort()
          // It gets the number of the descriptor that was just closed.
          _ = ClientConnection(to: address, on: loop).send(
            RequestHead(.get, "/", authority: "a"), endStream: true,
            handler: Outcome(continuation))
        }
      }
      #expect(isAnswered)
    }
    await server.stop()
  }

  @Test(
    "a reset before the response is reported with progress sent",
    .tags(.GW_1), arguments: LiveClientTests.versions)
  func reset(_ version: HTTPClientSettings.Version) async throws {
    let failure = try await failure(version) { $0.reset() }
    #expect(failure?.progress == .sent)
  }

  @Test(
    "a reset within the response is reported as begun", .tags(.GW_1),
    arguments: LiveClientTests.versions)
  func resetLate(_ version: HTTPClientSettings.Version) async throws {
    let failure = try await failure(version) { stream in
      stream.send(head: ResponseHead(.ok, contentLength: 10), endStream: false)
      stream.send(body: [UInt8](repeating: 0, count: 5).span, endStream: false)
      // A reset destroys bytes in transit, so it is delayed until they have arrived.
      stream.loop.schedule(after: .seconds(1)) { stream.reset() }
    }
    #expect(failure?.progress == .responseBegun)
  }

  @Test(
    "a request fails at its own time limit, before that of its client", .tags(.GW_1),
    .timeLimit(.minutes(5)), arguments: LiveClientTests.versions)
  func ownLimit(_ version: HTTPClientSettings.Version) async throws {
    var timeouts = HTTPTimeouts()
    timeouts.response = .seconds(3600)
    let failure = try await failure(version, timeouts: timeouts, within: .milliseconds(80)) { _ in }
    #expect(failure == StreamFailure(.timedOut, .sent))
  }

  @Test(
    "a missing response is reported as timed out, with progress sent", .tags(.GW_1),
    arguments: LiveClientTests.versions)
  func timeOut(_ version: HTTPClientSettings.Version) async throws {
    let gate = AsyncStream<Void>.makeStream()
    let server = try await TestServer.start([
      Route(.get, "/answered") { (_) throws(Problem) in Response() },
      Route(.post, "/") { (_) throws(Problem) in
        for await _ in gate.stream { break }
        return Response()
      },
    ])
    var settings = HTTPClientSettings()
    settings.version = version
    settings.timeouts.response = .milliseconds(80)
    let client = HTTPClient(to: server.address, on: server.loops[0], settings: settings)
    // Over HTTP/2 the time to connect counts, so the connection must be open before the request.
    try await eventually("an open connection") {
      do throws(HTTPClientError) {
        _ = try await client.send(RequestHead(.get, "/answered", authority: "a"))
        return true
      } catch {
        return false
      }
    }
    #expect(await failure(of: client) == StreamFailure(.timedOut, .sent))
    gate.continuation.finish()
    await server.stop()
  }

  @Test("a server that stops lets HTTP/2 requests finish and refuses new ones", .tags(.GW_1))
  func goAway() async throws {
    let begun = AsyncStream<Void>.makeStream()
    let gate = AsyncStream<Void>.makeStream()
    let server = try await TestServer.start([
      Route(.get, "/slow") { (_) throws(Problem) in
        begun.continuation.yield()
        for await _ in gate.stream { break }
        return Response(contentType: "text/plain", bytes: Array("done".utf8))
      }
    ])
    let client = HTTPClient(to: server.address, on: server.loops[0])
    async let answer = client.send(RequestHead(.get, "/slow", authority: "a"))
    for await _ in begun.stream { break }
    async let stopped: Void = server.server.stop()
    gate.continuation.yield()
    #expect(try await answer.body == Array("done".utf8))
    await stopped
    for loop in server.loops { loop.stop() }
  }

  @Test("a cancelled task cancels its request", arguments: LiveClientTests.versions)
  func cancelled(_ version: HTTPClientSettings.Version) async throws {
    let begun = AsyncStream<Void>.makeStream()
    let continuation = begun.continuation
    let server = try await TestServer.start(handlers: { _ in
      { Impostor { _ in continuation.yield() } }
    })
    var settings = HTTPClientSettings()
    settings.version = version
    // Long enough even if this task is scheduled late among all other tests.
    settings.timeouts.response = .seconds(3600)
    let client = HTTPClient(to: server.address, on: server.loops[0], settings: settings)
    let task = Task {
      do throws(HTTPClientError) {
        _ = try await client.send(RequestHead(.get, "/", authority: "a"))
        return Optional<HTTPClientError>.none
      } catch {
        return error
      }
    }
    for await _ in begun.stream { break }
    task.cancel()
    #expect(await task.value == .cancelled)
    client.shutDown()
    await server.stop()
  }
}

/// Resumes a test with whether a request was answered.
private final class Outcome: ResponseHandler {
  private var continuation: CheckedContinuation<Bool, Never>?

  init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

  func received(head: ResponseHead) {}
  func received(body: Span<UInt8>) {}
  func receivedEnd() { end(true) }
  func failed(_ failure: StreamFailure) { end(false) }
  func drained() {}

  private func end(_ isAnswered: Bool) {
    continuation?.resume(returning: isAnswered)
    continuation = nil
  }
}
