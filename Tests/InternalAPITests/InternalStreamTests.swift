import Cryptography
import EventLoop
import HTTP
import InternalAPI
import JSON
import Operations
import Testing
import Web

@Suite("Streams between our services")
struct InternalStreamTests {
  private struct Number: JSONReadable {
    let value: Int

    init(from reader: inout JSONReader) throws(JSONError) {
      value = try reader.object(with: "number") { (reader) throws(JSONError) in
        try reader.integer()
      }
    }
  }

  /// The numbers received from a stream of this text until its end.
  private func taken(of text: String) async throws -> [Int] {
    let loop = try EventLoop.start(name: "stream")
    defer { loop.stop() }
    let route = Route(.get, "/stream") { (_) throws(Problem) in
      .stream(contentType: "text/event-stream") { writer in
        try await writer.write(Array(text.utf8))
      }
    }
    var settings = HTTPServerSettings()
    settings.timeouts.drain = .zero
    let server = try await HTTPServer.start(
      [.tcp(host: "127.0.0.1", port: 0)], on: [loop], settings: settings,
      handlers: Service(Router([route]), log: .none).handlers)
    let address = server.addresses[0]
    let numbers = await Task(executorPreference: loop) {
      let stream = InternalStream<Number>(
        "/stream", of: address, secret: InternalSecret(root: .random()), following: .random(),
        on: loop)
      var numbers: [Int] = []
      while let events = await stream.next(within: .seconds(600)) {
        numbers += events.map(\.value)
      }
      stream.close()
      return numbers
    }.value
    await server.stop()
    return numbers
  }

  @Test("events are received in order until the stream ends")
  func whole() async throws {
    #expect(
      try await taken(of: "data: {\"number\":1}\n\n: still here\n\ndata: {\"number\":2}\n\n") == [
        1, 2,
      ])
  }

  @Test("events after an unreadable one are not received")
  func unreadable() async throws {
    let text = "data: {\"number\":1}\n\ndata: {\"numbe\n\ndata: {\"number\":3}\n\n"
    #expect(try await taken(of: text) == [1])
  }
}
