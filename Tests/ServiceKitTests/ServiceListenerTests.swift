import Cryptography
import EventLoop
import HTTP
import HTTPFixture
import Operations
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing
import Web

@Suite("The ports of a service that stops", .tags(.OPS_4))
struct ServiceListenerTests {
  private static let metricsRequest =
    "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  /// A process on this loop with these addresses, whose requests have two minutes when it stops.
  private func process(
    on loop: EventLoop, service: String, metrics: (host: String, port: UInt16)
  ) throws -> ServiceProcess {
    let (settings, _) = try Settings.load(
      arguments: [],
      environment: [
        "TRACKME_LISTEN": "unix:\(service)", "TRACKME_METRICS_BIND": metrics.host,
        "TRACKME_METRICS_PORT": "\(metrics.port)", "TRACKME_STOP_WITHIN": "240",
      ],
      readFile: { (_) throws(SystemError) in nil })
    return ServiceProcess(
      kind: .track4run, settings: settings, log: .none, metrics: Metrics(), loops: [loop],
      lifecycle: Lifecycle(loop: loop, log: .none, stopWithin: .seconds(240)),
      environment: .system)
  }

  /// Whether an address refuses connections.
  private func refuses(_ address: SocketAddress) -> Bool {
    do {
      _ = try RawClient(address)
      return false
    } catch {
      return true
    }
  }

  @Test("the metrics are read until the last request in flight is answered")
  func metrics() async throws {
    let gate = AsyncStream<Void>.makeStream()
    // Otherwise a failure would wait for the time-out of the request.
    defer { gate.continuation.finish() }
    let begun = AsyncStream<Void>.makeStream()
    let slow = Route(.get, "/slow") { (_) throws(Problem) in
      begun.continuation.yield()
      for await _ in gate.stream { break }
      return .json(Array("{}".utf8))
    }
    let loop = try EventLoop.start(name: "service")
    defer { loop.stop() }
    try await withTemporaryDirectory { directory in
      let address = SocketAddress.unix(path: directory + "/s.sock")
      // An address of its own, on which the port is free.
      let parts = (Int.random(in: 1...254), Int.random(in: 1...254))
      let (host, port) = ("127.\(parts.0).\(parts.1).1", UInt16(9180))
      let metrics = SocketAddress.tcp(host: host, port: port)
      let process = try process(on: loop, service: directory + "/s.sock", metrics: (host, port))
      let secret = InternalSecret(root: .random())
      let component = try ServiceListener(process, secret: secret, InnerConnections(process))
        .component { _ in [slow] }
      try await component.start()
      var head = RequestHead(.get, "/slow", authority: "internal")
      secret.withHeaderValue { head.fields.append(.internalSecret, copying: $0) }
      let client = HTTPClient(to: address, on: loop)
      async let answer = client.send(head)
      for await _ in begun.stream { break }
      async let stopped: Void = component.stop()
      try await eventually("the stop") { refuses(address) }
      let reader = try RawClient(metrics)
      reader.send(Self.metricsRequest)
      #expect(await reader.receiveAll().hasPrefix("HTTP/1.1 200 "))
      gate.continuation.yield()
      #expect(try await answer.head.status == .ok)
      await stopped
      #expect(refuses(metrics))
    }
  }
}
