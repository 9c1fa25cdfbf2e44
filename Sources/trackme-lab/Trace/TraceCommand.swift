import Foundation
import Installation

/// `trackme-lab trace`: reads the register, the event stream of the last full test run and the last
/// measurements, and writes the table. Fails if a requirement marked done is not shown.
enum TraceCommand {
  static let usage = """
    usage: trackme-lab trace --register requirements.md --events events.jsonl \
    --measurements benchmarks.json --code digests.json --output table.md
    """

  /// Returns 0 if every requirement marked done is shown, 1 if one is not or a file can't be read
  /// or written, 2 for invalid arguments.
  static func run(_ arguments: [String]) -> Int32 {
    guard let paths = Paths(arguments) else {
      Terminal.complain(usage)
      return 2
    }
    do throws(Failure) {
      let table = TraceTable(
        register: try register(paths.register), tests: try tests(paths.events),
        measurements: try measurements(paths))
      try write(table.markdown, to: paths.output)
      return report(table.gaps, output: paths.output)
    } catch {
      Terminal.complain("trace: \(error.sentence)")
      return 1
    }
  }

  private struct Failure: Error {
    var sentence: String
  }

  private struct Paths {
    var register: String
    var events: String
    var measurements: String
    var code: String
    var output: String

    init?(_ arguments: [String]) {
      guard arguments.count == 10 else { return nil }
      var values: [String: String] = [:]
      for index in stride(from: 0, to: 10, by: 2) {
        values[arguments[index]] = arguments[index + 1]
      }
      guard let register = values["--register"], let events = values["--events"],
        let measurements = values["--measurements"], let code = values["--code"],
        let output = values["--output"]
      else { return nil }
      self.register = register
      self.events = events
      self.measurements = measurements
      self.code = code
      self.output = output
    }
  }

  private static func register(_ path: String) throws(Failure) -> Register {
    let register = Register(markdown: String(decoding: try read(path), as: UTF8.self))
    guard !register.entries.isEmpty else {
      throw Failure(sentence: "\(path) contains no requirement.")
    }
    return register
  }

  private static func tests(_ path: String) throws(Failure) -> [TestRecord] {
    let stream = try read(path)
    do {
      return try TestEvents.tests(in: stream)
    } catch {
      throw Failure(sentence: "\(path) is not an event stream: line \(error.line).")
    }
  }

  private static func measurements(_ paths: Paths) throws(Failure) -> Measurements {
    let (document, code) = (try read(paths.measurements), try read(paths.code))
    do {
      return try Measurements(document: document, code: code)
    } catch {
      throw Failure(
        sentence: "\(paths.measurements) or \(paths.code) can't be read as measurements: \(error).")
    }
  }

  private static func read(_ path: String) throws(Failure) -> Data {
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      throw Failure(
        sentence:
          "\(path) can't be read; `make test` writes the event stream, `make bench` the figures.")
    }
  }

  private static func write(_ text: String, to path: String) throws(Failure) {
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw Failure(sentence: "\(path) can't be written.")
    }
  }

  private static func report(_ gaps: [TraceTable.Gap], output: String) -> Int32 {
    for gap in gaps { Terminal.complain("trace: \(gap.sentence)") }
    if gaps.isEmpty { Terminal.say("trace: \(output) is written; everything marked done is shown") }
    return gaps.isEmpty ? 0 : 1
  }
}
