import Foundation
import OperatorTool
import Support
import Testing

/// A copy of the operator's tool in its own directory, without the lab. Scripts replace the
/// services; they only answer on the socket of their metrics, and tell when they are ready.
final class Copy {
  let directory: URL
  let ports: [Int]

  var state: String { directory.appending(path: "state").path }

  struct Outcome {
    var code: Int32
    var output: String
  }

  init() throws {
    directory = URL(filePath: "/tmp/copy-\(UUID().uuidString.prefix(8))")
    // Two ports, and the first of three consecutive ones.
    let first = try Int(FreePorts.take(5, from: 5_120..<10_240))
    ports = [first + 3, first + 4, first]
    let files = FileManager.default
    try files.createDirectory(at: directory, withIntermediateDirectories: true)
    let built = Self.programs.appending(path: "trackme")
    // Another process copies the tool. If this process wrote the file, a child forked at that time
    // by another test could keep it open for writing, and the system would refuse to run it
    // (ETXTBSY).
    let copied = try Self.execute(
      URL(filePath: "/bin/cp"), [built.path, directory.appending(path: "trackme").path],
      environment: [:])
    try #require(copied.code == 0, "\(copied.output)")
    let sql = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "sql")
    try files.createSymbolicLink(
      at: directory.appending(path: "sql"), withDestinationURL: sql)
    for name in ["data4help", "track4run", "gateway"] { try install(Self.service, as: name) }
  }

  /// The directory of the built programs, the same as that of this test.
  private static var programs: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Runs a command of the built lab to its end, without an installation.
  static func lab(_ arguments: String...) throws -> Outcome {
    try execute(
      programs.appending(path: "trackme-lab"), arguments, environment: ["PATH": "/usr/bin:/bin"])
  }

  /// Runs a built service to its end, without an installation.
  static func service(_ name: String, _ arguments: String...) throws -> Outcome {
    try execute(programs.appending(path: name), arguments, environment: ["PATH": "/usr/bin:/bin"])
  }

  /// Stops the running processes and removes everything, whether the test passes or fails.
  func remove() {
    _ = try? run("stop")
    try? FileManager.default.removeItem(at: directory)
  }

  /// Installs a script as a service.
  func install(_ script: String, as name: String) throws {
    let path = directory.appending(path: name).path
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  /// Runs a command of the tool to its end.
  func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

  func run(_ arguments: [String]) throws -> Outcome {
    try Self.execute(
      directory.appending(path: "trackme"), arguments, environment: environment)
  }

  /// Starts the system; the output explains a failure.
  func start() throws {
    let outcome = try run("start")
    try #require(outcome.code == 0, "\(outcome.output)")
  }

  /// Replaces a process by a new one.
  func replace(_ name: String) throws {
    let outcome = try run("replace", name)
    try #require(outcome.code == 0, "\(outcome.output)")
  }

  private var environment: [String: String] {
    [
      "PATH": "/usr/bin:/bin", "TRACKME_STATE": state, "TRACKME_DATA4HELP_REPLICAS": "1",
      "TRACKME_DEMO": "0", "TRACKME_HTTP_PORT": "\(ports[0])",
      "TRACKME_HTTPS_PORT": "\(ports[1])",
      "TRACKME_METRICS_PORT": "\(ports[2])",
    ]
  }

  /// Starts a command of the tool, and discards its output.
  func begin(_ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = directory.appending(path: "trackme")
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// The processes of the running system by their names.
  func members() throws -> [String: SystemStatus.Member] {
    let data = try Data(contentsOf: URL(filePath: "\(state)/status.json"))
    let status = try JSONDecoder().decode(SystemStatus.self, from: data)
    return Dictionary(uniqueKeysWithValues: status.members.map { ($0.name, $0) })
  }

  /// Whether a process runs; a zombie whose parent has not reaped it counts as ended.
  static func isRunning(_ process: Int32) -> Bool {
    let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat")
    guard let bytes else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let name = text.lastIndex(of: ")") else { return false }
    return !text[name...].hasPrefix(") Z")
  }

  static func execute(
    _ program: URL, _ arguments: [String], environment: [String: String]
  ) throws -> Outcome {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      code: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
  }

  static let service = """
    #!/usr/bin/python3
    import http.server, os, signal, socket, sys
    print('{"message":"begun"}', file=sys.stderr, flush=True)
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *arguments):
            pass
    signal.signal(signal.SIGTERM, lambda *arguments: os._exit(0))
    assert os.environ["LISTEN_PID"] == str(os.getpid())
    names = os.environ["LISTEN_FDNAMES"].split(":")
    assert os.environ["LISTEN_FDS"] == str(len(names))
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.socket = socket.socket(fileno=3 + names.index("metrics"))
    if "NOTIFY_SOCKET" in os.environ:
        notice = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        text = "READY=1\\nMAINPID=%d" % os.getpid()
        notice.sendto(text.encode(), os.environ["NOTIFY_SOCKET"])
    server.serve_forever()
    """

  /// A service that never becomes ready and ignores the request to stop; it writes its pid into the
  /// file `next`.
  static let endless = """
    #!/usr/bin/python3
    import os, signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    path = os.environ["TRACKME_STATE"] + "/next"
    with open(path + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(path + ".new", path)
    while True:
        signal.pause()
    """

  /// The usual service, which ignores the request to stop.
  static let deafToSIGTERM = service.replacing(
    "lambda *arguments: os._exit(0)", with: "signal.SIG_IGN")
}
