import Foundation
import HTTP
import Operations
import Requirements
import Support
import Synchronization
import Testing

@Suite("TLS between the services, over TCP")
struct InnerTLSJourney {
  /// A gateway and both services beside an installation, with its database and keys, which only
  /// know each other by certificates.
  private final class Services: Sendable {
    let system: TestSystem
    let ports: [String: UInt16]
    let metrics: [String: UInt16]
    let gateway: PublicClient
    private let processes = Mutex<[String: pid_t]>([:])

    static let names = ["data4help", "track4run", "gateway"]
    var authority: String { system.state + "/authority" }

    init(_ system: TestSystem) async throws {
      self.system = system
      var ports: [String: UInt16] = [:]
      var metrics: [String: UInt16] = [:]
      for name in Self.names {
        ports[name] = try FreePorts.take()
        metrics[name] = try FreePorts.take()
      }
      self.ports = ports
      self.metrics = metrics
      gateway = try PublicClient(port: try #require(ports["gateway"]))
      for arguments in [["create"], ["issue", "monitoring"] + Self.names] {
        try await authority(arguments)
      }
      for name in Self.names { try start(name) }
      try await waitUntilReady()
    }

    /// Runs the command of the authority.
    func authority(_ arguments: [String]) async throws {
      let outcome = try await system.trackme(["authority"] + arguments, with: [:])
      try #require(outcome.isSuccess, "\(outcome.output)")
    }

    func start(_ name: String) throws {
      let process = try Program(
        command: [TestSystem.programs + "/\(name)"], environment: try environment(of: name)
      ).start(output: log(name))
      processes.withLock { $0[name] = process }
    }

    /// Stops a process and waits for its end.
    func stop(_ name: String) async throws {
      let process = try #require(processes.withLock { $0.removeValue(forKey: name) })
      kill(process, SIGTERM)
      try await eventually("the end of \(name)") {
        var status: Int32 = 0
        return unsafe waitpid(process, &status, WNOHANG) == process
      }
    }

    /// Ends what a failed test has left.
    func abandon() {
      for process in processes.withLock({ $0.values }) { kill(process, SIGKILL) }
    }

    func stopAll() async throws { for name in Self.names.reversed() { try await stop(name) } }

    func waitUntilReady() async throws {
      for name in Self.names {
        try await eventually("the start of \(name)") {
          try await readiness(of: name, context("monitoring")) == 200
        }
      }
    }

    /// The status of a request without the internal secret, nil if the connection is refused.
    func status(of name: String, _ tls: TLSContext?) async throws -> Int? {
      try await status("/health", name, at: ports[name], tls)
    }

    /// The status of the port of metrics, nil if the connection is refused.
    func readiness(of name: String, _ tls: TLSContext?) async throws -> Int? {
      try await status("/ready", "metrics", at: metrics[name], tls)
    }

    private func status(
      _ path: String, _ name: String, at port: UInt16?, _ tls: TLSContext?
    ) async throws -> Int? {
      var settings = HTTPClientSettings()
      settings.tls = tls
      settings.serverName = name
      let client = HTTPClient(
        to: .tcp(host: "127.0.0.1", port: try #require(port)), on: try clientLoop.get(),
        settings: settings)
      defer { client.shutDown() }
      do throws(HTTPClientError) {
        let response = try await client.send(RequestHead(.get, path, authority: name))
        return Int(response.head.status.code)
      } catch {
        return nil
      }
    }

    /// The context of a client with a certificate of the installation.
    func context(_ name: String) throws -> TLSContext {
      let directory = "\(authority)/\(name)"
      func bytes(_ file: String) throws -> [UInt8] {
        try FileSystem.read("\(directory)/\(file)", bytesMax: 65_536)
      }
      return try TLSContext(
        client: TLSIdentity(
          certificateChain: bytes("certificate.pem"), privateKey: bytes("key.pem")),
        trusting: bytes("authority.pem"))
    }

    func log(_ name: String) -> String { system.directory + "/inner-\(name).log" }

    /// How often a process has read new certificates.
    func reloads(_ name: String) throws -> Int {
      try String(contentsOfFile: log(name), encoding: .utf8)
        .split(separator: "\n").count { $0.contains("inner certificates reloaded") }
    }

    /// Runs a command of the authority, and waits until all processes have the new files.
    func change(_ arguments: String...) async throws {
      let before = try Self.names.map { try reloads($0) }
      try await authority(arguments)
      try await eventually("the new certificates") {
        try zip(Self.names, before).allSatisfy { name, count in try reloads(name) > count }
      }
    }

    private func environment(of name: String) throws -> [String: String] {
      let urls = "\(system.state)/keys/database/\(name)"
      func address(_ name: String) throws -> String { "127.0.0.1:\(try #require(ports[name]))" }
      var variables = [
        "TRACKME_STATE": system.state, "TRACKME_PROCESS": "inner-\(name)",
        "TRACKME_INNER_TLS": "\(authority)/\(name)", "TRACKME_LOOPS": "1",
        "TRACKME_METRICS_BIND": "0.0.0.0",
        "TRACKME_METRICS_PORT": "\(try #require(metrics[name]))",
        "TRACKME_DATABASE_URL_FILE": "\(urls).trackme.url", "TRACKME_RATE_LIMITS": "off",
        "TRACKME_PUBLIC_URL": "https://localhost:\(system.httpsPort)",
      ]
      if name != "data4help" { variables["TRACKME_DATA4HELP_ADDRESSES"] = try address("data4help") }
      if name != "track4run" { variables["TRACKME_TRACK4RUN_ADDRESSES"] = try address("track4run") }
      if name == "gateway" {
        variables["TRACKME_HTTP_PORT"] = "\(try #require(ports[name]))"
        variables["TRACKME_HTTPS_PORT"] = "\(try FreePorts.take())"
      } else {
        variables["TRACKME_LISTEN"] = try address(name)
      }
      if name == "data4help" {
        variables["TRACKME_KEYS_DATABASE_URL_FILE"] = "\(urls).trackme_keys.url"
      }
      return variables
    }
  }

  /// The end of the requests, set by another task.
  private final class End: Sendable {
    private let isSet = Mutex(false)
    var isReached: Bool { isSet.withLock { $0 } }
    func set() { isSet.withLock { $0 = true } }
  }

  private func withServices(_ body: (Services) async throws -> Void) async throws {
    let system = try await TestSystem(["TRACKME_DATA4HELP_REPLICAS": "1"])
    let services = try await Services(system)
    defer { services.abandon() }
    try await body(services)
    try await services.stopAll()
    await system.stop()
  }

  @Test(
    "requests pass gateway and services, which refuse plain and wrongly signed connections",
    .tags(.OPS_3), .timeLimit(.minutes(5)))
  func mutual() async throws {
    try await withServices { services in
      let user = try await services.system.singleUser()
      let person = SingleUser(
        person: user.person, token: user.token, client: services.gateway)
      try await person.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
      #expect(try await person.get("/settings/single").outcome == .ok)
      // Data4Help asks Track4Run for the runs, and Track4Run asks Data4Help for the company.
      #expect(try await person.get("/auth/export").outcome == .ok)
      let party = try await services.system.thirdParty()
      let organiser = ThirdParty(
        company: party.company, token: party.token, client: services.gateway)
      #expect(try await organiser.listedRun() > 0)

      // A known process reaches the check of the secret.
      for (service, caller) in [
        ("data4help", "gateway"), ("data4help", "track4run"), ("track4run", "data4help"),
      ] {
        #expect(try await services.status(of: service, services.context(caller)) == 404)
      }
      let now = Int64(Date.now.timeIntervalSince1970)
      let stranger = try CertificateAuthority(named: "stranger", now: now, days: 1)
      let order = try #require(CertificateOrder(name: "gateway"))
      let trusted = try FileSystem.read(
        "\(services.authority)/authority.pem", bytesMax: 65_536)
      let forged = try TLSContext(
        client: stranger.issue(order, now: now, seconds: 86_400), trusting: trusted)
      let anonymous = try TLSContext(
        clientTrusting: .certificates(trusted), protocols: [.http2])
      for name in ["data4help", "track4run"] {
        let own = try services.context(name)
        for wrong in [nil, forged, anonymous, own, try services.context("monitoring")] {
          #expect(try await services.status(of: name, wrong) == nil)
        }
      }
      // Only the monitoring reads the ports of metrics.
      for name in Services.names {
        for wrong in [nil, anonymous, try services.context("gateway")] {
          #expect(try await services.readiness(of: name, wrong) == nil)
        }
      }
      // The gateway itself has no inner listener, and clients see nothing of the certificates.
      #expect(try await services.gateway.get("/ready").outcome == .ok)
    }
  }

  @Test(
    "certificates and authority are replaced while requests run, and none fails",
    .tags(.OPS_3), .timeLimit(.minutes(5)))
  func renewal() async throws {
    try await withServices { services in
      let user = try await services.system.singleUser()
      let person = SingleUser(
        person: user.person, token: user.token, client: services.gateway)
      let end = End()
      async let count = use(person, until: end)
      try await services.change("issue", "data4help", "track4run", "gateway")
      for _ in 0..<3 { try await services.change("rotate") }
      end.set()
      #expect(try await count > 0)
      // A new connection uses the renewed certificates; nothing knows the former authority.
      try await services.stop("data4help")
      try services.start("data4help")
      try await services.waitUntilReady()
      try await eventually("a request over a new connection") {
        try await person.get("/settings/single").outcome == .ok
      }
      #expect(
        try await services.status(of: "track4run", services.context("gateway")) == 404)
    }
  }

  private func use(_ person: SingleUser, until end: End) async throws -> Int {
    var rounds = 0
    while !end.isReached {
      try #require(try await person.get("/settings/single").outcome == .ok)
      try #require(try await person.get("/t4r/my/list").outcome == .ok)
      rounds += 1
    }
    return rounds
  }

  @Test(
    "a service that other machines could reach does not start without certificates",
    .tags(.OPS_3))
  func withoutCertificates() async throws {
    let system = try await TestSystem.shared()
    let address = "unix:\(system.directory)/no-service.sock"
    for (listen, metrics, peer) in [
      ("0.0.0.0:1", "127.0.0.1", address), (address, "::", address),
      (address, "127.0.0.1", "192.0.2.1:1"),
    ] {
      let outcome = try await Program(
        command: ["timeout", "60", TestSystem.programs + "/track4run"],
        environment: [
          "TRACKME_STATE": system.state, "TRACKME_LISTEN": listen,
          "TRACKME_DATA4HELP_ADDRESSES": peer, "TRACKME_METRICS_BIND": metrics,
          "TRACKME_METRICS_PORT": "\(try FreePorts.take())",
          "TRACKME_DATABASE_URL_FILE": "\(system.state)/keys/database/track4run.trackme.url",
        ]
      ).run()
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("set TRACKME_INNER_TLS"), "\(outcome.output)")
    }
  }
}
