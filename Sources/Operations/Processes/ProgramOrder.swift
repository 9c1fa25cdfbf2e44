import CLinux
import EventLoop

/// A program to start: executable, arguments, user and descriptors.
package struct ProgramOrder: Sendable {
  /// The path of the executable.
  package var executable: String
  /// The arguments after the program's own name.
  package var arguments: [String] = []
  /// The whole environment of the child.
  package var environment: [String: String] = [:]
  /// The working directory; `nil` is that of this process.
  package var directory: String?
  /// The user to run as; `nil` is that of this process. Only root can choose another.
  package var owner: FileOwner?
  /// The signal sent to it when this process ends for any reason; 0 for none.
  package var deathSignal: Int32 = 0
  /// Whether it runs in a new session, so that closing the terminal does not affect it.
  package var isSession = false

  /// An order for the program at a path, with defaults for the other properties.
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

  /// The descriptors of the child. With -1, descriptors 0 to 2 stay those of this process.
  package struct Descriptors {
    let input: Int32
    let output: Int32
    let errors: Int32
    /// Those from 3 on.
    let passed: [Int32]
    /// The names of `passed`, if they are listening sockets.
    let names: [String]

    /// The descriptors that become standard input, output, error and descriptor 3.
    package init(
      input: Int32 = -1, output: Int32 = -1, errors: Int32 = -1, extra: Int32 = -1
    ) {
      self.input = input
      self.output = output
      self.errors = errors
      passed = extra < 0 ? [] : [extra]
      names = []
    }

    /// Standard output and error, and listening sockets with their names, which the child finds by
    /// the protocol of systemd (`InheritedSockets`).
    package init(output: Int32, errors: Int32, sockets: [PassedSocket]) {
      input = -1
      self.output = output
      self.errors = errors
      passed = sockets.flatMap(\.descriptors)
      names = sockets.flatMap { socket in socket.descriptors.map { _ in socket.name.rawValue } }
    }
  }

  /// Starts the program. Call it on a thread that lives as long as the process: the child receives
  /// its death signal when the thread that started it ends (prctl(2)).
  ///
  /// - Returns: the identifier of the new process.
  /// - Throws: `SystemError` also when the program cannot be executed.
  package func start(_ descriptors: Descriptors) throws(SystemError) -> Int32 {
    var environment = environment
    if !descriptors.names.isEmpty {
      environment.merge(InheritedSockets.variables(descriptors.names)) { $1 }
    }
    let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
    var passed = descriptors.passed
    // SAFETY: all C strings live until the call returns; by then the child has its own copy.
    let process = unsafe withCStrings([executable] + arguments) { arguments in
      unsafe withCStrings(variables) { environment in
        unsafe withOptionalCString(directory) { directory in
          unsafe executable.withCString { path in
            var order = unsafe linux_spawn_order(
              path: path, arguments: arguments, environment: environment, directory: directory,
              input: descriptors.input, output: descriptors.output, errors: descriptors.errors,
              passed: nil, passed_count: Int32(passed.count),
              tells_pid: descriptors.names.isEmpty ? 0 : 1,
              user: owner.map { Int64($0.user) } ?? -1,
              group: owner.map { Int64($0.group) } ?? -1, death_signal: deathSignal,
              is_session: isSession ? 1 : 0)
            return unsafe passed.withUnsafeMutableBufferPointer { passed in
              unsafe order.passed = passed.baseAddress
              return unsafe linux_spawn(&order)
            }
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
  // SAFETY: the copies created by strdup are freed after `body` returns; the array is not empty.
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
