// TelephoneFixture is the other end of calls by voice: a telephone on loopback that was not written
// with what it tests, and the comparison of what it heard with what espeak-ng says.

import Foundation

/// A telephone of its own process: `answerer.py`. It ends with its owner.
package final class Answerer: Sendable {
  /// How it takes calls.
  package enum Manner: String, Sendable {
    case answering, ringing, busy, declining, early, silent
    case hangingUp = "hanging-up"
  }

  /// Where it listens, on loopback.
  package let port: UInt16
  private let directory: String
  private let process: pid_t

  /// Starts it and returns when it listens.
  package init(_ manner: Manner) throws {
    directory =
      FileManager.default.temporaryDirectory.path + "/tmtel-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/answerer.py"
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/python3")
    program.arguments = [script, directory, manner.rawValue]
    let output = Pipe()
    program.standardOutput = output
    try program.run()
    process = program.processIdentifier
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
      if byte.first == UInt8(ascii: "\n") { break }
      line += byte
    }
    port = UInt16(String(decoding: line, as: UTF8.self)) ?? 0
  }

  deinit {
    kill(process, SIGKILL)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// What happened, a line each: `invite 1 sip:user@127.0.0.1:5070`, `answer 1`, `bye 1`.
  package var events: [String] {
    let bytes = try? Data(contentsOf: URL(filePath: "\(directory)/events"))
    return String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Waits until it was called, for a minute at most; on a thread of its own, since the call that
  /// is waited for may need those of the tests.
  package func waitForCall() async { _ = await events(1) }

  /// What happened, once there are so many events or a minute has passed; it waits on a thread of
  /// its own as well.
  package func events(_ count: Int) async -> [String] {
    await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
      Thread.detachNewThread { [self] in
        let end = ContinuousClock.now + .seconds(60)
        while events.count < count, ContinuousClock.now < end { _ = poll(nil, 0, 10) }
        continuation.resume(returning: events)
      }
    }
  }

  /// What was heard in a call, 8000 samples a second, once it is over; nil if it is not within a
  /// minute.
  package func recording(ofCall number: Int) -> Sound? {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if let bytes = try? Data(contentsOf: URL(filePath: "\(directory)/\(number).ulaw")) {
        return Sound(muLaw: bytes)
      }
      _ = poll(nil, 0, 10)
    }
    return nil
  }
}
