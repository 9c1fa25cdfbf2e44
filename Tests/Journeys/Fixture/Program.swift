import Foundation

import func CLinux.posix_spawn_file_actions_addclosefrom_np

/// A program to run to its end, with the given environment only.
struct Program {
  var command: [String]
  var environment: [String: String] = [:]

  /// The exit status and output of a program.
  struct Outcome {
    let status: Int32
    let output: String
    var isSuccess: Bool { status == 0 }
  }

  /// Runs the program; another thread waits for it, because the tests' threads must not be blocked.
  func run() async throws -> Outcome {
    let path = FileManager.default.temporaryDirectory.path + "/tmout-\(UUID().uuidString)"
    defer { _ = unsafe unlink(path) }
    let process = try start(output: path)
    let status = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Self.wait(for: process)) }
    }
    let output = try Data(contentsOf: URL(filePath: path))
    return Outcome(status: status, output: String(decoding: output, as: UTF8.self))
  }

  /// Starts the program with `input` as its input, or without one.
  func start(input: Int32? = nil, output: String = "/dev/null") throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_addopen(
      &actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // A long-running program must not inherit the pipes of children started by other threads.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var variables = environment
    variables["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    let inherited = ProcessInfo.processInfo.environment
    for name in ["HOME", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"] {
      variables[name] = inherited[name]
    }
    var texts = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { unsafe (texts + arguments).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(&process, command[0], &actions, nil, &arguments, &texts)
    guard code == 0 else { throw FixtureProblem("\(command[0]) cannot be started: error \(code)") }
    return process
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }
}

/// An error of the fixture, as a sentence.
struct FixtureProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
