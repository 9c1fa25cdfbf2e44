// TelephoneFixture is the called side of voice calls: a telephone on loopback, implemented
// independently of the tested code, and a comparison of the received sound with espeak-ng's output.

import Foundation
import Support

/// A telephone in its own process, `answerer.py`, which ends with its owner.
package final class Answerer: Sendable {
  /// How the telephone handles calls.
  package enum Manner: String, Sendable {
    case answering, ringing, busy, declining, early, silent
    case hangingUp = "hanging-up"
  }

  /// The loopback port on which it listens.
  package let port: UInt16
  private let directory: String
  private let process: pid_t

  /// Starts the telephone and returns when it listens.
  package init(_ manner: Manner) async throws {
    let directory =
      FileManager.default.temporaryDirectory.path + "/tmtel-\(UUID().uuidString.prefix(8))"
    self.directory = directory
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/answerer.py"
    let output = "\(directory)/output"
    let program = Program(command: ["/usr/bin/python3", script, directory, manner.rawValue])
    process = try await program.serve(output: output)
    port = try await eventually("the port of the telephone") {
      let text = try String(contentsOfFile: output, encoding: .utf8)
      return text.hasSuffix("\n") ? UInt16(text.dropLast()) : nil
    }
  }

  deinit {
    kill(process, SIGKILL)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The events, one per line: `invite 1 sip:user@127.0.0.1:5070`, `answer 1`, `bye 1`.
  package var events: [String] {
    let bytes = try? Data(contentsOf: URL(filePath: "\(directory)/events"))
    return String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Waits for a call.
  package func waitForCall() async throws { _ = try await events(1) }

  /// The events, once there are `count` of them.
  package func events(_ count: Int) async throws -> [String] {
    try await eventually("\(count) events of the telephone") {
      let events: [String] = self.events
      return events.count >= count ? events : nil
    }
  }

  /// The sound received in a call, 8000 samples a second, after its end.
  package func recording(ofCall number: Int) async throws -> Sound {
    try await eventually("the recording of call \(number)") {
      let bytes = try? Data(contentsOf: URL(filePath: "\(directory)/\(number).ulaw"))
      return bytes.map { Sound(muLaw: $0) }
    }
  }
}
