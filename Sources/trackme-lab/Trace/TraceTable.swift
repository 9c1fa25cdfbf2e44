/// The table that links each requirement to the tests that show it and to its measurements.
///
/// The text depends only on the register, on the tests' names and results, and on the recorded
/// measurements, so that it can be versioned in the repository: it contains no dates of its own, no
/// test durations and no line numbers.
package struct TraceTable: Sendable {
  /// A requirement that is marked done but not shown.
  package struct Gap: Equatable, Sendable {
    /// The identifier in the register.
    package var identifier: String
    /// An explanation as a full sentence.
    package var sentence: String
  }

  private let register: Register
  private let tests: [String: [TestRecord]]
  private let measurements: Measurements

  /// The table of a register, the tests of a full run and the last measurements.
  package init(
    register: Register, tests: [TestRecord], measurements: Measurements = .none
  ) {
    self.register = register
    self.measurements = measurements
    self.tests = Dictionary(
      grouping: tests.flatMap { test in test.requirements.map { (identifier: $0, test: test) } },
      by: \.identifier
    ).mapValues { $0.map(\.test) }
  }

  /// Requirements marked done that have no passing test, that have a test which did not pass, or
  /// that lack a measurement within its bounds.
  package var gaps: [Gap] {
    register.entries.filter { $0.state == .done }.compactMap { entry in
      let shown = tests[entry.identifier] ?? []
      if let bad = shown.first(where: { $0.result != .passed }) {
        let sentence =
          "\(entry.identifier) is marked done, but a test of it has the result "
          + "'\(bad.result.rawValue)': \(bad.title) (\(bad.module))."
        return Gap(identifier: entry.identifier, sentence: sentence)
      }
      if let missing = entry.measuredBy.lazy.compactMap(measurements.gap).first {
        return Gap(
          identifier: entry.identifier,
          sentence: "\(entry.identifier) is marked done, but \(missing).")
      }
      guard shown.isEmpty, entry.measuredBy.isEmpty else { return nil }
      return Gap(
        identifier: entry.identifier,
        sentence: "\(entry.identifier) is marked done, but no test shows it.")
    }
  }

  /// The whole document as Markdown.
  package var markdown: String {
    let head = [
      "# Traceability", "",
      "Each requirement of [the register](requirements.md) with the tests that show it, their last",
      "result, and the figures of `make bench` that it rests on. A figure is stale when the code",
      "that it measures has changed since. Written by `make trace` from a full run of the tests;",
      "not edited by hand.", "",
      summary, "", "| id | state | tests |", "|---|---|---|",
    ]
    let rows = register.entries.map { entry in
      "| \(entry.identifier) | \(entry.state.rawValue) | \(cell(entry)) |"
    }
    return (head + rows).joined(separator: "\n") + "\n"
  }

  private var summary: String {
    let states = Register.State.allCases.reversed().map { state in
      "\(register.entries.count { $0.state == state }) \(state.rawValue)"
    }
    let shown = register.entries.count { tests[$0.identifier]?.isEmpty == false }
    return "\(register.entries.count) requirements: \(states.joined(separator: ", ")). "
      + "\(shown) of them have tests."
  }

  private func cell(_ entry: Register.Entry) -> String {
    let shown = (tests[entry.identifier] ?? []).map { test in
      "\(test.result.rawValue): \(Self.escaped(test.title)) (`\(test.module)`)"
    }
    let measured = entry.measuredBy.flatMap(measurements.lines).map(Self.escaped)
    let lines = shown + measured
    return lines.isEmpty ? "–" : lines.joined(separator: "<br>")
  }

  /// Escapes characters of a title that would end a cell or begin a tag.
  private static func escaped(_ title: String) -> String {
    title.map { character in
      switch character {
      case "|": "\\|"
      case "<": "&lt;"
      case "\n": " "
      default: String(character)
      }
    }.joined()
  }
}
