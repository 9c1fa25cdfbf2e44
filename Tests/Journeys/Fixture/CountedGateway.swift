import Foundation
import Support

/// A second gateway before the services of a system, with one loop, whose allocations are counted
/// by AllocationCounter.c, preloaded into it.
struct CountedGateway {
  let httpPort: UInt16
  let httpsPort: UInt16
  private let process: pid_t
  private let library: PreloadedLibrary

  /// Starts it with the settings of the system's gateway, on other ports.
  init(of system: TestSystem) async throws {
    library = try await PreloadedLibrary("AllocationCounter")
    httpPort = try FreePorts.take(3)
    httpsPort = httpPort + 1
    guard let example = try system.member("gateway").process.int else {
      throw FixtureProblem("The system has no gateway.")
    }
    var settings = library.settings
    let lines = try String(contentsOfFile: "/proc/\(example)/environ", encoding: .utf8)
    for line in lines.split(separator: "\0") {
      let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
      settings[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    settings["TRACKME_HTTP_PORT"] = "\(httpPort)"
    settings["TRACKME_HTTPS_PORT"] = "\(httpsPort)"
    settings["TRACKME_METRICS_PORT"] = "\(httpPort + 2)"
    settings["TRACKME_LOOPS"] = "1"
    settings["ALLOCATION_COUNTS"] = library.directory
    process = try Program(command: [TestSystem.programs + "/gateway"], environment: settings)
      .start(output: system.directory + "/counted-gateway.log")
    let httpsPort = httpsPort
    _ = try await eventually("the counted gateway") {
      FreePorts.isListenedOn(httpsPort) ? true : nil
    }
  }

  /// The allocations so far.
  func allocations() throws -> UInt64 {
    let bytes = try Data(
      contentsOf: URL(filePath: "\(library.directory)/gateway.\(process)"))
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Ends it.
  func stop() throws {
    kill(process, SIGKILL)
    try library.remove()
  }
}
