import CLinux
import EventLoop
import Operations

/// Runs a program to completion. It blocks: only for a pool's thread, or for commands without other
/// work.
enum Tool {
  struct Outcome: Sendable {
    var status: ExitStatus
    /// Both output streams, at most 1 MiB.
    var output: String

    /// The last line that is not empty.
    var lastLine: String {
      output.split(separator: "\n").last.map(String.init) ?? ""
    }
  }

  /// Runs `order` with `input` on its standard input.
  ///
  /// - Throws: `SystemError` if it cannot be started.
  static func run(_ order: ProgramOrder, input: String = "") throws(SystemError) -> Outcome {
    let toChild = try Pipe()
    defer { toChild.close() }
    let fromChild = try Pipe()
    defer { fromChild.close() }
    let process = try order.start(
      .init(input: toChild.reading, output: fromChild.writing, errors: fromChild.writing))
    toChild.closeReading()
    fromChild.closeWriting()
    // The input is small enough for the pipe: it never fills its 64 KiB.
    toChild.write(Array(input.utf8))
    toChild.closeWriting()
    let output = fromChild.readToEnd(bytesMax: 1 << 20)
    return Outcome(status: wait(for: process), output: String(decoding: output, as: UTF8.self))
  }

  /// Runs `order` with the output streams of this process.
  ///
  /// - Throws: `SystemError` if it cannot be started.
  static func show(_ order: ProgramOrder) throws(SystemError) -> ExitStatus {
    wait(for: try order.start(.init()))
  }

  private static func wait(for process: Int32) -> ExitStatus {
    var word: Int32 = 0
    // SAFETY: `word` outlives the call.
    while unsafe waitpid(process, &word, 0) == -1, linux_errno() == EINTR {}
    return ExitStatus(word: word)
  }
}
