import CLinux
import EventLoop
import Installation
import Operations

/// `trackme replace [NAME…]`: replaces the processes of a running system one after the other by new
/// ones of the programs on disk, with the settings of now and without a failed request.
enum ReplaceCommand {
  static let usage = "usage: trackme replace [NAME…]"

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      guard try StatusCommand.holder(installation) != nil else {
        throw StartError("TrackMe is not running on \(installation.state.path).")
      }
      let names = try checked(operands, installation)
      let databases = try Databases(installation)
      try Migrations(databases, programs: installation.programs).refuseMissing()
      let state = installation.state.path
      Terminal.say("Settings come from the start of the system and from \(state)/settings.")
      let words = ([Supervisor.replaceWord] + names).joined(separator: " ")
      let last = try converse(words, at: Supervisor.controlPath(installation))
      guard last == "done" else {
        throw StartError(
          last.hasPrefix("failed ")
            ? String(last.dropFirst(7))
            : "The supervisor has ended before it had replaced everything: see `trackme status`.")
      }
    }
  }

  /// The names without repetitions.
  ///
  /// - Throws: `StartError` for one that is not the name of a process that can be replaced.
  private static func checked(
    _ names: [String], _ installation: Installation
  ) throws(StartError) -> [String] {
    guard !names.isEmpty else { return [] }
    let status = try SystemStatus.read(from: installation.state.file("status.json"))
    let known = status.members.map(\.name).filter(ServicePlan.isMember)
    try NextSystem.check(names, among: known)
    return known.filter(names.contains)
  }

  /// Sends a line, prints the lines of progress, and returns the last line. Blocks.
  private static func converse(_ words: String, at path: String) throws(StartError) -> String {
    // SAFETY: the text is passed as a C string for the call.
    let descriptor = unsafe linux_unix_connect(path, Int32(SOCK_STREAM.rawValue))
    guard descriptor >= 0 else {
      throw StartError("The supervisor is starting or stopping, or is of a version before 0.1.0.")
    }
    defer { close(descriptor) }
    let request = Array("\(words)\n".utf8)
    // SAFETY: the buffer is valid for the call, with its own size. The socket's buffer is larger.
    _ = unsafe request.withUnsafeBytes { buffer in
      unsafe send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    }
    var last = ""
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 512)
    while true {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count == -1, linux_errno() == EINTR { continue }
      guard count > 0 else { return last }
      for byte in chunk[..<count] {
        guard byte == 0x0A else {
          line.append(byte)
          continue
        }
        last = String(decoding: line, as: UTF8.self)
        line = []
        if last != "done", !last.hasPrefix("failed ") { Terminal.say(last) }
      }
    }
  }
}
