import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import ServiceKit
import Support
import Testing
import Time
import Web

@Suite("TLS between the services of an installation", .tags(.OPS_3))
struct InnerTLSTests {
  private static let day: Int64 = 86_400
  private static var now: Int64 { Instant.system.microsecondsSince1970 / 1_000_000 }

  /// An authority, and the directories of its holders below a path.
  private struct Stage {
    let path: String
    let authority: CertificateAuthority
    let lines = LogRecorder()
    let metrics = Metrics()

    init(_ path: String) throws {
      self.path = path
      authority = try CertificateAuthority(named: "inner", now: InnerTLSTests.now, days: 3650)
    }

    func directory(of kind: ProcessKind) -> String { "\(path)/\(kind.rawValue)" }

    /// Writes the files of a process; the defaults are right ones.
    func issue(
      to kind: ProcessKind, named name: String? = nil, by issuer: CertificateAuthority? = nil,
      trusting authorities: [UInt8]? = nil, seconds: Int64 = 30 * InnerTLSTests.day
    ) throws {
      let order = try #require(CertificateOrder(name: name ?? kind.innerName))
      let identity = try (issuer ?? authority).issue(
        order, now: InnerTLSTests.now, seconds: seconds)
      let directory = directory(of: kind)
      try FileSystem.makeDirectories(directory)
      try FileSystem.writeAtomically(
        "\(directory)/authority.pem", authorities ?? authority.identity.certificateChain)
      try FileSystem.writeAtomically("\(directory)/key.pem", identity.privateKey)
      try FileSystem.writeAtomically(
        "\(directory)/certificate.pem", identity.certificateChain)
    }

    func inner(_ kind: ProcessKind) throws -> InnerTLS {
      try InnerTLS(
        directory: directory(of: kind), of: kind,
        log: Log(process: kind.rawValue, sink: lines.sink), metrics: metrics,
        environment: .system)
    }

    /// The error with which a process does not start.
    func refusal(_ kind: ProcessKind) -> String {
      do { _ = try inner(kind) } catch { return "\(error)" }
      return "none"
    }

    /// The value of a metric.
    func value(_ metric: String) -> Double? {
      metrics.text().split(separator: "\n").first { $0.hasPrefix("\(metric) ") }
        .flatMap { Double($0.split(separator: " ")[1]) }
    }
  }

  private func withStage(_ body: (Stage) async throws -> Void) async throws {
    try await withTemporaryDirectory { path in try await body(Stage(path)) }
  }

  /// Whether a client of one process reaches a service of another.
  private func connects(_ client: InnerTLS, to server: InnerTLS) throws -> Bool {
    let context = try #require(server.server?.value)
    let service = try TLSSession(context: context)
    let session = try TLSSession(context: client.client.value, serverName: "data4help")
    var plain: [UInt8] = []
    do throws(TLSError) {
      while session.hasOutput || service.hasOutput {
        var bytes: [UInt8] = []
        session.pullOutput(into: &bytes)
        try service.receive(bytes.span, appendingTo: &plain)
        bytes = []
        service.pullOutput(into: &bytes)
        try session.receive(bytes.span, appendingTo: &plain)
      }
    } catch {
      return false
    }
    return session.isHandshakeComplete && service.isHandshakeComplete
  }

  @Test("a renewed certificate and a second authority apply to new connections")
  func renewal() async throws {
    try await withStage { stage in
      try stage.issue(to: .gateway)
      try stage.issue(to: .data4help)
      let (gateway, service) = (try stage.inner(.gateway), try stage.inner(.data4help))
      #expect(gateway.server == nil)
      #expect(try connects(gateway, to: service))
      let first = (gateway.client.value, service.server?.value)
      gateway.reload()
      #expect(gateway.client.value === first.0)

      let next = try CertificateAuthority(named: "next", now: Self.now, days: 3650)
      let both = stage.authority.identity.certificateChain + next.identity.certificateChain
      for kind in [ProcessKind.gateway, .data4help] {
        try stage.issue(to: kind, trusting: both)
      }
      gateway.reload()
      #expect(gateway.client.value !== first.0 && service.server?.value === first.1)
      #expect(try connects(gateway, to: service))
      service.reload()
      try stage.issue(to: .gateway, by: next, trusting: both)
      gateway.reload()
      #expect(try connects(gateway, to: service))
      try stage.issue(to: .data4help, by: next, trusting: next.identity.certificateChain)
      service.reload()
      #expect(try connects(gateway, to: service))
      #expect(stage.lines.lines.allSatisfy { $0.contains("inner certificates reloaded") })
    }
  }

  @Test("files that do not match keep the previous ones, and are logged once if they stay")
  func broken() async throws {
    try await withStage { stage in
      try stage.issue(to: .gateway)
      try stage.issue(to: .data4help)
      let (gateway, service) = (try stage.inner(.gateway), try stage.inner(.data4help))
      let first = gateway.client.value
      let other = try stage.authority.issue(
        try #require(CertificateOrder(name: "gateway")), now: Self.now, seconds: Self.day)
      let key = "\(stage.directory(of: .gateway))/key.pem"
      try FileSystem.writeAtomically(key, other.privateKey)
      gateway.reload()
      #expect(stage.lines.lines.isEmpty)
      for _ in 0..<3 { gateway.reload() }
      #expect(gateway.client.value === first)
      #expect(try connects(gateway, to: service))
      #expect(stage.lines.lines.count == 1)
      #expect(stage.lines.lines[0].contains("\"level\":\"error\""))
      try FileSystem.writeAtomically(
        "\(stage.directory(of: .gateway))/certificate.pem", other.certificateChain)
      gateway.reload()
      #expect(gateway.client.value !== first)
      #expect(try connects(gateway, to: service))
    }
  }

  @Test("a process does not start with files that are missing, readable by all, or of another")
  func refusedFiles() async throws {
    try await withStage { stage in
      #expect(stage.refusal(.data4help).contains("cannot be read"))
      try stage.issue(to: .data4help, named: "track4run")
      #expect(stage.refusal(.data4help).contains("mismatch"))
      let other = try CertificateAuthority(named: "other", now: Self.now, days: 1)
      try stage.issue(to: .data4help, by: other)
      #expect(stage.refusal(.data4help).contains("issuer"))
      try stage.issue(to: .data4help)
      #expect(stage.refusal(.data4help) == "none")
      let key = "\(stage.directory(of: .data4help))/key.pem"
      try FileSystem.writeAtomically(key, try FileSystem.read(key, bytesMax: 9999), mode: 0o644)
      #expect(stage.refusal(.data4help).contains("chmod o="))
    }
  }

  @Test("the remaining time is that of the certificate, and negative after its end")
  func remaining() async throws {
    try await withStage { stage in
      try stage.issue(to: .gateway)
      let gateway = try stage.inner(.gateway)
      let metric = "trackme_inner_tls_remaining_seconds"
      let first = try #require(stage.value(metric))
      #expect((29.9 * 86_400...30 * 86_400).contains(first))
      try stage.issue(to: .gateway, seconds: -60)
      gateway.reload()
      #expect(try #require(stage.value(metric)) < -59)
    }
  }

  @Test("over the network, only a caller with the right certificate is answered")
  func live() async throws {
    try await withStage { stage in
      for kind in [ProcessKind.gateway, .track4run, .data4help] { try stage.issue(to: kind) }
      let service = try stage.inner(.data4help)
      let context = try #require(service.server)
      let loop = try EventLoop.start(name: "inner")
      let answers = Service(Router([.health { true }]), log: .none)
      let server = try await HTTPServer.start(
        [HTTPListener(.tcp(host: "127.0.0.1", port: 0), following: context)], on: [loop],
        handlers: answers.handlers)
      let address = server.addresses[0]
      func status(_ link: InnerLink) async throws -> Int? {
        var settings = HTTPClientSettings()
        link.secure(&settings, to: address)
        let client = HTTPClient(to: address, on: loop, settings: settings)
        defer { client.shutDown() }
        do throws(HTTPClientError) {
          let response = try await client.send(
            RequestHead(.get, "/health", authority: "data4help"))
          return Int(response.head.status.code)
        } catch {
          return nil
        }
      }
      func link(_ kind: ProcessKind) throws -> InnerLink {
        InnerLink(try stage.inner(kind).client, to: .data4help)
      }
      #expect(try await status(link(.gateway)) == 200)
      #expect(try await status(link(.track4run)) == 200)
      #expect(try await status(link(.data4help)) == nil)
      #expect(try await status(.plain) == nil)
      let other = try CertificateAuthority(named: "other", now: Self.now, days: 1)
      let both = stage.authority.identity.certificateChain + other.identity.certificateChain
      try stage.issue(to: .gateway, by: other, trusting: both)
      #expect(try await status(link(.gateway)) == nil)
      #expect(try #require(stage.value("trackme_inner_tls_failures_total")) >= 3)
      #expect(stage.lines.lines.contains { $0.contains("inner TLS connection failed") })
      await server.stop()
      loop.stop()
    }
  }

  @Test(
    "Unix sockets and loopback stay on the machine, other addresses do not",
    arguments: [
      (SocketAddress.unix(path: "/run/a.sock"), false), (.tcp(host: "127.0.0.1", port: 1), false),
      (.tcp(host: "127.9.9.9", port: 1), false), (.tcp(host: "::1", port: 1), false),
      (.tcp(host: "localhost", port: 1), false), (.tcp(host: "0.0.0.0", port: 1), true),
      (.tcp(host: "10.91.2.11", port: 1), true), (.tcp(host: "::", port: 1), true),
      (.tcp(host: "12.7.0.1", port: 1), true), (.tcp(host: "127.example.org", port: 1), true),
    ])
  func machines(_ address: SocketAddress, _ isElsewhere: Bool) {
    #expect(address.isOnOtherMachines == isElsewhere)
  }
}
