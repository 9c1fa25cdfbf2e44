/// How a process ended, as `waitpid` tells it.
enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  case code(Int32)
  case signal(Int32)

  /// Reads the status word of Linux (wait(2)): the low seven bits are the signal, if any.
  init(word: Int32) {
    let signal = word & 0x7F
    self = signal == 0 ? .code(word >> 8 & 0xFF) : .signal(signal)
  }

  var isSuccess: Bool { self == .code(0) }

  /// As `ended with 1` or `was ended by signal 9`.
  var description: String {
    switch self {
    case .code(let code): "ended with \(code)"
    case .signal(let signal): "was ended by signal \(signal)"
    }
  }
}
