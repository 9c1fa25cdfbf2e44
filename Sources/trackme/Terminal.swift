import Foundation

/// What the operator's tool says to the person who runs it; the services write logs instead.
enum Terminal {
  /// A line of the answer, on standard output.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// A line about what went wrong, on standard error.
  static func complain(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
