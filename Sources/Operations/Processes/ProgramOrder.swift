import CLinux
import EventLoop

/// A program to be started: what, as whom, and with which descriptors.
package struct ProgramOrder: Sendable {
  /// The path of its file.
  package var executable: String
  /// What follows the program's own name.
  package var arguments: [String] = []
  /// The whole environment of the child.
  package var environment: [String: String] = [:]
  /// Where it runs; `nil` is where this process does.
  package var directory: String?
  /// As whom it runs; `nil` is as whom this process does. Only root can name another.
  package var owner: FileOwner?
  /// The signal it gets when this process ends, however that happens.
  package var deathSignal: Int32 = 0
  /// Whether it gets a session of its own, so that closing the terminal does not reach it.
  package var isSession = false

  /// An order for the program at a path; what is not given is set as its comments say.
  package init(
    executable: String, arguments: [String] = [], environment: [String: String] = [:],
    directory: String? = nil, owner: FileOwner? = nil, deathSignal: Int32 = 0,
    isSession: Bool = false
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.owner = owner
    self.deathSignal = deathSignal
    self.isSession = isSession
  }

  /// The descriptors of the child; -1 leaves one closed.
  package struct Descriptors {
    let input: Int32
    let output: Int32
    let errors: Int32
    let extra: Int32

    /// What becomes its input, its output, its errors and its descriptor 3.
    package init(
      input: Int32 = -1, output: Int32 = -1, errors: Int32 = -1, extra: Int32 = -1
    ) {
      self.input = input
      self.output = output
      self.errors = errors
      self.extra = extra
    }
  }

  /// Starts the program. Call it on a thread that lives as long as the process: the child gets its
  /// death signal when the thread that started it ends (prctl(2)).
  ///
  /// - Returns: the number of the new process.
  /// - Throws: `SystemError` also when the program cannot be executed.
  package func start(_ descriptors: Descriptors) throws(SystemError) -> Int32 {
    let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
    // SAFETY: all C strings live until the call returns, by when the child has its own copy.
    let process = unsafe withCStrings([executable] + arguments) { arguments in
      unsafe withCStrings(variables) { environment in
        unsafe withOptionalCString(directory) { directory in
          unsafe executable.withCString { path in
            var order = unsafe linux_spawn_order(
              path: path, arguments: arguments, environment: environment, directory: directory,
              input: descriptors.input, output: descriptors.output, errors: descriptors.errors,
              extra: descriptors.extra, user: owner.map { Int64($0.user) } ?? -1,
              group: owner.map { Int64($0.group) } ?? -1, death_signal: deathSignal,
              is_session: isSession ? 1 : 0)
            return unsafe linux_spawn(&order)
          }
        }
      }
    }
    return try SystemError.check("execute \(executable)", process)
  }
}

/// Calls `body` with an array of C strings that ends with a null pointer.
private func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  // SAFETY: strdup's copies are freed after `body` returned; the array is not empty.
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
  unsafe pointers.append(nil)
  let result = unsafe pointers.withUnsafeBufferPointer { buffer in
    unsafe body(buffer.baseAddress.unsafelyUnwrapped)
  }
  for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  return result
}

private func withOptionalCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let text else { return body(nil) }
  // SAFETY: the C string lives for the call.
  return unsafe text.withCString { unsafe body($0) }
}
