import EventLoop
import HTTP
import HTTPFixture
import Synchronization
import Testing
import Web

/// Receives an endless response, pauses reading, and records how far the writer gets ahead.
private final class PausingReader: ResponseHandler {
  private let limit: Int
  private let done: @Sendable (Int) -> Void
  var stream: (any ClientStream)?
  private var received = 0

  init(limit: Int, done: @escaping @Sendable (Int) -> Void) {
    self.limit = limit
    self.done = done
  }

  func received(head: ResponseHead) {}
  func received(body: Span<UInt8>) {
    received += body.count
    stream?.pauseBody()
    if received >= limit {
      stream?.cancel()
      done(received)
    } else {
      stream?.resumeBody()
    }
  }
  func receivedEnd() {}
  func failed(_ failure: StreamFailure) { done(-1) }
  func drained() {}
}

/// Keeps its reader, connection and stream alive on their loop.
private final class Relay: @unchecked Sendable {
  var connection: ClientConnection?
  var reader: PausingReader?
}

@Suite("Back pressure")
struct BackPressureTests {
  @Test(
    "a writer never gets far ahead of a paused reader", arguments: LiveClientTests.versions)
  func flatMemory(_ version: HTTPClientSettings.Version) async throws {
    let counter = Counter()
    // The kernel's buffers of a Unix-domain socket have a constant size; those of TCP may grow up
    // to the maximum of `tcp_rmem`.
    let path = "/tmp/trackme-http-\(UInt32.random(in: 0 ... .max)).sock"
    let server = try await TestServer.start(
      [
        Route(.get, "/endless") { (_) throws(Problem) in
          .stream(contentType: "text/plain") { writer in
            let part = [UInt8](repeating: 0x61, count: 16384)
            while true {
              try await writer.write(part)
              counter.add(part.count)
            }
          }
        }
      ], at: .unix(path: path))
    let limit = 20_000_000
    let loop = server.loops[0]
    var settings = HTTPClientSettings()
    settings.version = version
    let chosen = settings
    let relay = Relay()
    let received = await withCheckedContinuation { continuation in
      loop.execute {
        let reader = PausingReader(limit: limit) { continuation.resume(returning: $0) }
        let connection = ClientConnection(to: server.address, on: loop, settings: chosen)
        relay.connection = connection
        relay.reader = reader
        reader.stream = connection.send(
          RequestHead(.get, "/endless", authority: "a"), endStream: true, handler: reader)
      }
    }
    #expect(received >= limit)
    // The sum of the kernel buffers of both sides, the windows, and the high-water marks.
    #expect(counter.value - received < 4_000_000)
    loop.execute { relay.connection?.abort() }
    await server.stop()
  }

  @Test("an import of many megabytes is read in parts while the client waits")
  func upload() async throws {
    let server = try await TestServer.start([
      Route(.post, "/import", bodyBytesMax: 4 << 30, streamsBody: true) {
        (request) throws(Problem) in
        guard case .stream(let reader) = request.body else { throw .internalError }
        var count = 0
        var largest = 0
        do throws(BodyReader.Failure) {
          while let part = try await reader.next() {
            count += part.count
            largest = max(largest, part.count)
          }
        } catch {
          throw .malformed("broken")
        }
        return Response(contentType: "text/plain", bytes: Array("\(count) \(largest)".utf8))
      }
    ])
    for version in LiveClientTests.versions {
      var settings = HTTPClientSettings()
      settings.version = version
      let client = HTTPClient(to: server.address, on: server.loops[0], settings: settings)
      let answer = try await client.send(
        RequestHead(.post, "/import", authority: "a"),
        body: [UInt8](repeating: 1, count: 30_000_000))
      let words = String(decoding: answer.body, as: UTF8.self).split(separator: " ")
      #expect(words.first == "30000000")
      #expect(Int(words.last ?? "") ?? .max <= 64 * 1024)
      client.shutDown()
    }
    await server.stop()
  }
}

/// A counter for use in closures.
private final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  func add(_ count: Int) { number.add(count, ordering: .relaxed) }
  var value: Int { number.load(ordering: .relaxed) }
}
