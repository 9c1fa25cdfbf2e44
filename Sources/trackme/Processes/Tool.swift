import CLinux
import EventLoop
import Operations

/// A program that is run to its end for what it does or says. It blocks: for a pool's thread, or
/// for commands that do nothing else.
enum Tool {
  struct Outcome: Sendable {
    var status: ExitStatus
    /// What it wrote to either output, at most 1 MiB.
    var output: String

    /// The last line that says something.
    var lastLine: String {
      output.split(separator: "\n").last.map(String.init) ?? ""
    }
  }

  /// Runs `order` with `input` on its standard input.
  ///
  /// - Throws: `SystemError` when it cannot be started.
  static func run(_ order: ProgramOrder, input: String = "") throws(SystemError) -> Outcome {
    let toChild = try Pipe()
    defer { toChild.close() }
    let fromChild = try Pipe()
    defer { fromChild.close() }
    let process = try order.start(
      .init(input: toChild.reading, output: fromChild.writing, errors: fromChild.writing))
    toChild.closeReading()
    fromChild.closeWriting()
    // Small enough for the pipe: what we say to tools never fills its 64 KiB.
    toChild.write(Array(input.utf8))
    toChild.closeWriting()
    let output = fromChild.readToEnd(bytesMax: 1 << 20)
    var word: Int32 = 0
    // SAFETY: `word` outlives the call.
    while unsafe waitpid(process, &word, 0) == -1, linux_errno() == EINTR {}
    return Outcome(
      status: ExitStatus(word: word), output: String(decoding: output, as: UTF8.self))
  }
}
