import Foundation
import Support
import Synchronization
import Testing

/// A complete installation for tests: the built executables under their supervisor, the embedded
/// database and a mail server, on free ports and in a directory that is removed with this process.
final class TestSystem: Sendable {
  let directory: String
  let httpPort: UInt16
  let httpsPort: UInt16
  let metricsPort: UInt16
  let mailbox: Mailbox
  let environment: [String: String]
  /// While this end is open the watchdog waits; after that it stops everything and removes the
  /// files.
  private let lifeline: FileHandle
  let certificate: [UInt8]

  var state: String { directory + "/state" }
  /// The servers of Citus that it uses; nil on the embedded database.
  var citus: CitusServers? { CitusServers(of: directory) }
  /// The directory of the executables, the same as that of this test.
  static var programs: String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  /// The system shared by tests; started on first use.
  static func shared() async throws -> TestSystem { try await usual.value }
  private static let usual = Task { try await TestSystem() }

  /// The system shared by tests of an abort, with a window of a minute: a busy machine may need
  /// longer than the usual five seconds.
  static func withMinuteToAbort() async throws -> TestSystem { try await withMinute.value }
  private static let withMinute = Task { try await TestSystem(["TRACKME_SOS_ABORT": "60"]) }

  /// Starts a system and returns when it is ready. `settings` are added to those of all tests.
  init(_ settings: [String: String] = [:], hasMailServer: Bool = true) async throws {
    guard FileManager.default.isExecutableFile(atPath: Self.python) else {
      throw FixtureProblem("\(Self.python) is missing: `deploy/setup.sh test` creates it.")
    }
    directory = try Self.makeDirectory()
    httpPort = try FreePorts.take()
    httpsPort = try FreePorts.take()
    metricsPort = try FreePorts.take(5)
    let mailPort = try FreePorts.take()
    let brokerPort = try FreePorts.take()
    mailbox = Mailbox(path: directory + "/mail")
    var variables = [
      "TRACKME_STATE": directory + "/state", "TRACKME_HTTP_PORT": "\(httpPort)",
      "TRACKME_HTTPS_PORT": "\(httpsPort)", "TRACKME_METRICS_PORT": "\(metricsPort)",
      "TRACKME_SMTP_URL": "smtp://127.0.0.1:\(mailPort)", "TRACKME_DEMO": "0",
      "TRACKME_BROKER_PORT": "\(brokerPort)", "TRACKME_RATE_LIMITS": "off",
      "TRACKME_CALLBACK_ALLOW": "127.0.0.0/8",
    ]
    if !hasMailServer { variables["TRACKME_SMTP_URL"] = nil }
    variables.merge(settings) { $1 }
    let citus = CitusServers(of: directory)
    lifeline = try Self.startWatchdog(
      directory, mailPort: mailPort, citus: citus, environment: variables)
    if let citus {
      let urls = try await citus.start(variables)
      variables.merge(urls) { $1 }
    }
    environment = variables
    let outcome = try await Self.trackme("start", environment: environment)
    guard outcome.isSuccess else {
      throw FixtureProblem("TrackMe did not start: \(outcome.output)")
    }
    // A mail sent before that would be delivered ten seconds or a minute later.
    _ = try await eventually("the mail server") {
      FreePorts.isListenedOn(mailPort) ? true : nil
    }
    certificate = Array(
      try Data(contentsOf: URL(filePath: directory + "/state/tls/certificate.pem")))
  }

  /// Runs the operator's tool on this installation.
  func trackme(_ arguments: String...) async throws -> Program.Outcome {
    try await Self.trackme(arguments, environment: environment)
  }

  /// Runs the operator's tool with other variables instead of this installation's. A file of a
  /// setting replaces the setting, because the tool refuses both.
  func trackme(
    _ arguments: [String], with variables: [String: String]
  ) async throws -> Program.Outcome {
    let own = environment.filter { variables[$0.key + "_FILE"] == nil }
    return try await Self.trackme(arguments, environment: own.merging(variables) { $1 })
  }

  /// Runs the lab on this installation.
  func lab(_ arguments: String...) async throws -> Program.Outcome {
    try await Program(
      command: ["\(Self.programs)/trackme-lab"] + arguments, environment: environment
    ).run()
  }

  /// Runs any program in the environment of this installation.
  func run(_ command: String...) async throws -> Program.Outcome {
    try await Program(command: command, environment: environment).run()
  }

  private static func trackme(
    _ arguments: String..., environment: [String: String]
  ) async throws -> Program.Outcome {
    try await trackme(arguments, environment: environment)
  }

  private static func trackme(
    _ arguments: [String], environment: [String: String]
  ) async throws -> Program.Outcome {
    try await Program(
      command: ["\(programs)/trackme"] + arguments, environment: environment
    ).run()
  }

  /// Stops the system early; otherwise the end of this process stops it.
  func stop() async {
    do {
      let outcome = try await trackme("stop")
      #expect(outcome.isSuccess, "\(outcome.output)")
    } catch { Issue.record(error) }
  }

  private static func makeDirectory() throws -> String {
    let pattern = FileManager.default.temporaryDirectory.path + "/tmjo-XXXXXX"
    var bytes = Array(pattern.utf8CString)
    guard unsafe mkdtemp(&bytes) != nil else {
      throw FixtureProblem("No temporary directory can be created at \(pattern).")
    }
    let directory = String(decoding: bytes.dropLast().map(UInt8.init), as: UTF8.self)
    // The embedded database may run as another user, which must be able to enter the directory.
    _ = unsafe chmod(directory, 0o711)
    return directory
  }

  /// The watchdog also runs the mail server, and outlives this process while it stops the system.
  private static func startWatchdog(
    _ directory: String, mailPort: UInt16, citus: CitusServers?, environment: [String: String]
  ) throws -> FileHandle {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else {
      throw FixtureProblem("No pipe can be created.")
    }
    let script = """
      trap '' INT TERM HUP
      "$1" -m aiosmtpd -n -l 127.0.0.1:\(mailPort) -c aiosmtpd.handlers.Mailbox "$2/mail" &
      mail=$! directory=$2
      read -r line
      "$3" stop
      shift 3
      "$@"
      kill -9 $mail
      rm -rf "$directory"
      """
    _ = try Program(
      command: ["/bin/sh", "-c", script, "watchdog", python, directory, programs + "/trackme"]
        + (citus?.command("stop") ?? ["true"]),
      environment: environment
    ).start(input: ends[0], output: directory + "/watchdog.log")
    close(ends[0])
    return FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  /// The Python of the tests' peers, created by deploy/setup.sh in the state directory.
  static var python: String { testState + "/python/bin/python3" }

  /// The state directory of the tests, which is not that of an installation.
  static var testState: String {
    let environment = ProcessInfo.processInfo.environment
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return environment["TRACKME_STATE"] ?? root.path + "/.trackme"
  }
}
