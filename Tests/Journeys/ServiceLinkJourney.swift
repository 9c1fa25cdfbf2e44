import Cryptography
import Foundation
import HTTP
import Operations
import Requirements
import Support
import Testing

@Suite("The link to a service, driven by nghttp")
struct ServiceLinkJourney {
  /// A process of Data4Help beside an installation, with its database and keys. It listens on a
  /// port, because nghttp has no option for Unix sockets.
  private struct LinkedService {
    private let port: UInt16
    private let secret: String
    private let process: pid_t

    init(of system: TestSystem) throws {
      port = try FreePorts.take()
      let file = try FileSystem.read("\(system.state)/keys/root.secret", bytesMax: 65_536)
      let root = RootSecret(try KeyFile.rootKeys(file.span))
      secret = InternalSecret(root: root).withHeaderValue { String(copying: $0) }
      let urls = "\(system.state)/keys/database/data4help"
      process = try Program(
        command: [TestSystem.programs + "/data4help"],
        environment: [
          "TRACKME_STATE": system.state, "TRACKME_PROCESS": "linked-data4help",
          "TRACKME_LOOPS": "1", "TRACKME_LISTEN": "127.0.0.1:\(port)",
          "TRACKME_METRICS_PORT": "\(try FreePorts.take())",
          "TRACKME_TRACK4RUN_ADDRESSES": "unix:\(system.directory)/no-service.sock",
          "TRACKME_DATABASE_URL_FILE": "\(urls).trackme.url",
          "TRACKME_KEYS_DATABASE_URL_FILE": "\(urls).trackme_keys.url",
          "TRACKME_PUBLIC_URL": "https://localhost:\(system.httpsPort)",
          "TRACKME_RATE_LIMITS": "off",
        ]
      ).start(output: system.directory + "/linked-data4help.log")
    }

    /// The outcome of nghttp with these options; its output is the bodies of all responses.
    func nghttp(
      _ target: String, _ options: [String] = [], hasSecret: Bool = true
    ) async throws -> Program.Outcome {
      let secrets = hasSecret ? ["--header=x-trackme-secret: \(secret)"] : []
      return try await Program(
        command: ["nghttp", "--timeout=120"] + secrets + options
          + ["http://127.0.0.1:\(port)\(target)"]
      ).run()
    }

    func waitUntilReady() async throws {
      try await eventually("the start of the service") {
        try await nghttp("/health").output.contains("\"up\"")
      }
    }

    /// Ends the process if a failed test has left it.
    func abandon() { kill(process, SIGKILL) }

    /// Stops the process, and returns its status.
    func stop() async throws -> Int32 {
      kill(process, SIGTERM)
      return try await eventually("the end of the service") { () -> Int32? in
        var status: Int32 = 0
        return unsafe waitpid(process, &status, WNOHANG) == process ? status : nil
      }
    }
  }

  private func withService(
    _ body: (TestSystem, LinkedService) async throws -> Void
  ) async throws {
    let system = try await TestSystem(["TRACKME_DATA4HELP_REPLICAS": "1"])
    let service = try LinkedService(of: system)
    var isEnded = false
    defer { if !isEnded { service.abandon() } }
    try await service.waitUntilReady()
    try await body(system, service)
    #expect(try await service.stop() == 0)
    isEnded = true
    await system.stop()
  }

  @Test(
    "nghttp reads and uploads at a service what a client does through the gateway",
    .timeLimit(.minutes(5)))
  func driven() async throws {
    try await withService { system, service in
      let user = try await system.singleUser()
      let samples = (0..<300).map { minute in
        (
          String(format: "2024-01-15T%02d:%02d:00Z", minute / 60, minute % 60),
          JSONValue.number(Double(60 + minute % 40))
        )
      }
      try await user.upload("heartRate", samples)
      let account = try await system.superuser("SELECT account_id FROM data4help.accounts")
      let caller = [
        "--header=x-trackme-account: \(account)", "--header=x-trackme-kind: single",
        "--header=x-trackme-session: \(String(repeating: "0", count: 64))",
      ]
      let view =
        "/data/series?type=heartRate&from=2024-01-15T00:00:00Z&to=2024-01-16T00:00:00Z"
      let expected = try await user.get(view)
      try #require(expected.outcome == .ok, "\(expected.text)")
      let read = try await service.nghttp(view, caller + ["--padding=100"])
      #expect(read.isSuccess && read.bytes == Data(expected.body), "\(read.output)")

      let path = system.directory + "/upload.json"
      let upload =
        #"{"dataTypes":["weight"],"values":[70],"timestamp":["2024-01-15T10:00:00Z"]}"#
      try upload.write(toFile: path, atomically: true, encoding: .utf8)
      let sent = try await service.nghttp(
        "/data/upload", caller + ["--data=\(path)", "--header=content-type: application/json"])
      #expect(try JSONValue(Array(sent.bytes)).stored == 1, "\(sent.output)")
      let types = try await user.get("/data/stats").json.dataTypes
      #expect(types.count == 2)
    }
  }

  @Test(
    "two hundred streams of nghttp are answered, and without the secret no path is known",
    .tags(.GW_1), .timeLimit(.minutes(5)))
  func streams() async throws {
    try await withService { _, service in
      let one = try await service.nghttp("/health")
      let all = try await service.nghttp("/health", ["--multiply=200"])
      #expect(all.isSuccess)
      #expect(all.output == String(repeating: one.output, count: 200))
      let admitted = try await service.nghttp("/health", ["--verbose"])
      #expect(admitted.output.contains(":status: 200"), "\(admitted.output)")
      for path in ["/health", "/data/series", "/unknown"] {
        let refused = try await service.nghttp(path, ["--verbose"], hasSecret: false)
        #expect(refused.output.contains(":status: 404"), "\(refused.output)")
      }
    }
  }
}
