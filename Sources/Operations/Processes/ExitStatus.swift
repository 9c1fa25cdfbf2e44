/// How a process ended, as reported by `waitpid`.
package enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// It exited with this code.
  case code(Int32)
  /// This signal ended it.
  case signal(Int32)

  /// Decodes the status word of Linux (wait(2)): the low seven bits are the signal, if any.
  package init(word: Int32) {
    let signal = word & 0x7F
    self = signal == 0 ? .code(word >> 8 & 0xFF) : .signal(signal)
  }

  /// Whether the exit code is 0.
  package var isSuccess: Bool { self == .code(0) }

  /// A text such as `ended with 1` or `was ended by signal 9`.
  package var description: String {
    switch self {
    case .code(let code): "ended with \(code)"
    case .signal(let signal): "was ended by signal \(signal)"
    }
  }
}
