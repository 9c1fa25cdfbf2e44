import Foundation

/// The terminal output of the operator's tool and the lab; the services write logs instead.
package enum Terminal {
  /// Prints a line on standard output.
  package static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Prints an error line on standard error.
  package static func complain(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
