/// The table that links each requirement to the tests that show it.
///
/// Its text depends on the register and on the tests' names and results only, so that it can be
/// kept in the repository: no dates, no durations, no line numbers.
package struct TraceTable: Sendable {
  /// A requirement that is marked done and not shown.
  package struct Gap: Equatable, Sendable {
    /// As in the register.
    package var identifier: String
    /// A whole sentence for a person.
    package var sentence: String
  }

  private let register: Register
  private let tests: [String: [TestRecord]]

  /// The table of a register and the tests of a full run.
  package init(register: Register, tests: [TestRecord]) {
    self.register = register
    self.tests = Dictionary(
      grouping: tests.flatMap { test in test.requirements.map { (identifier: $0, test: test) } },
      by: \.identifier
    ).mapValues { $0.map(\.test) }
  }

  /// Requirements marked done without a passing test, or with one that did not pass.
  package var gaps: [Gap] {
    register.entries.filter { $0.state == .done }.compactMap { entry in
      let shown = tests[entry.identifier] ?? []
      if let bad = shown.first(where: { $0.result != .passed }) {
        let sentence =
          "\(entry.identifier) is marked done, but a test of it has the result "
          + "'\(bad.result.rawValue)': \(bad.title) (\(bad.module))."
        return Gap(identifier: entry.identifier, sentence: sentence)
      }
      guard shown.isEmpty else { return nil }
      return Gap(
        identifier: entry.identifier,
        sentence: "\(entry.identifier) is marked done, but no test shows it.")
    }
  }

  /// The whole document.
  package var markdown: String {
    let head = [
      "# Traceability", "",
      "Each requirement of [the register](requirements.md) with the tests that show it and their",
      "last result. Written by `make trace` from a full run of the tests; not edited by hand.", "",
      summary, "", "| id | state | tests |", "|---|---|---|",
    ]
    let rows = register.entries.map { entry in
      "| \(entry.identifier) | \(entry.state.rawValue) | \(cell(entry.identifier)) |"
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

  private func cell(_ identifier: String) -> String {
    let shown = tests[identifier] ?? []
    if shown.isEmpty { return "–" }
    return shown.map { test in
      "\(test.result.rawValue): \(Self.escaped(test.title)) (`\(test.module)`)"
    }.joined(separator: "<br>")
  }

  /// A title may hold what would end a cell or begin a tag.
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
