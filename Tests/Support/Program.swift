import Foundation

import func CLinux.posix_spawn_file_actions_addclosefrom_np

/// A program to run to its end, with few variables of the environment besides the given ones.
///
/// Tests of many parts run side by side, with some thousand open descriptors. Foundation's
/// `Process` crashed there: it lists them with `readdir`, copies 256 bytes of each name, and reads
/// beyond the end of the list once it fills its buffer of 32 KiB.
package struct Program {
  /// The name of the program, or its path, and its arguments.
  package var command: [String]
  /// Its variables, besides the search path and those that every program needs.
  package var environment: [String: String] = [:]

  /// The exit status and output of a program.
  package struct Outcome: Sendable {
    /// The exit code, or the negative number of the signal that ended it.
    package let status: Int32
    /// What it wrote to its output.
    package let bytes: Data
    /// What it wrote to its error output.
    package let errors: Data
    /// An outcome with this status and output.
    package init(status: Int32, bytes: Data, errors: Data = Data()) {
      self.status = status
      self.bytes = bytes
      self.errors = errors
    }

    /// Output, then error output, as text.
    package var output: String { String(decoding: bytes + errors, as: UTF8.self) }
    /// Whether the exit code is 0.
    package var isSuccess: Bool { status == 0 }
  }

  /// A program with these arguments.
  package init(command: [String], environment: [String: String] = [:]) {
    self.command = command
    self.environment = environment
  }

  /// Runs the program; another thread waits for it.
  package func run() async throws -> Outcome { try await onThread { try runAndBlock() } }

  /// Runs the program, and blocks the calling thread.
  package func runAndBlock() throws -> Outcome {
    let path = FileManager.default.temporaryDirectory.path + "/tmout-\(UUID().uuidString)"
    let errors = path + ".errors"
    defer { for path in [path, errors] { _ = unsafe unlink(path) } }
    let status = Self.wait(for: try start(output: path, errors: errors))
    return Outcome(
      status: status, bytes: try Data(contentsOf: URL(filePath: path)),
      errors: try Data(contentsOf: URL(filePath: errors)))
  }

  /// Starts a program that serves the tests until they kill it. The kernel kills it when this
  /// process ends, however it ends.
  package func serve(output: String) async throws -> pid_t {
    let program = Program(
      command: ["setpriv", "--pdeathsig", "KILL"] + command, environment: environment)
    return try await withCheckedThrowingContinuation { continuation in
      // The signal is that of the thread that started the program (prctl(2)), which waits for it.
      Thread.detachNewThread {
        do {
          let process = try program.start(output: output)
          continuation.resume(returning: process)
          _ = Program.wait(for: process)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Starts the program with `input` as its input, or without one. Without `errors`, its error
  /// output goes to `output`.
  ///
  /// It blocks no signal. The tests' threads block all of them, and a program that inherits this
  /// ends by SIGKILL only.
  package func start(
    input: Int32? = nil, output: String = "/dev/null", errors: String? = nil
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    let flags = O_WRONLY | O_CREAT | O_APPEND
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
    if let errors {
      unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    // A long-running program must not inherit the pipes of children started by other threads.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
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
    let code = unsafe posix_spawnp(
      &process, command[0], &actions, &attributes, &arguments, &texts)
    guard code == 0 else { throw FixtureProblem("\(command[0]) cannot be started: error \(code)") }
    return process
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }
}

/// An error of a fixture, as a sentence.
package struct FixtureProblem: Error, CustomStringConvertible {
  /// The sentence.
  package let description: String

  /// An error with this sentence.
  package init(_ description: String) { self.description = description }
}
