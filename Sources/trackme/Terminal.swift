import Foundation

/// The terminal output of the operator's tool; the services write logs instead.
enum Terminal {
  /// Prints a line on standard output.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Prints an error line on standard error.
  static func complain(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
