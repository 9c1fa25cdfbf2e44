import Foundation
import Testing

/// A process that listens on a port until it is closed.
final class Listening {
  private let process = Process()

  init(port: Int) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      "import socket; s = socket.create_server(('127.0.0.1', \(port))); print(1, flush=True); "
        + "s.accept()",
    ]
    process.standardOutput = output
    try process.run()
    _ = try #require(try output.fileHandleForReading.read(upToCount: 1))
  }

  func close() {
    // The child inherits the blocked signals of the test runner's threads, so only SIGKILL ends it.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
