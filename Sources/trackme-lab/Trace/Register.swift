import Foundation

/// The requirements register: the rows of the tables in `docs/requirements.md`.
package struct Register: Equatable, Sendable {
  /// The progress of a requirement.
  package enum State: String, Sendable, CaseIterable {
    /// No part of it is usable.
    case open
    /// Some of it is usable.
    case partial
    /// All of it is usable, as a passing test shows.
    case done
  }

  /// A row: identifier, state and required benchmarks; the wording stays in the register.
  package struct Entry: Equatable, Sendable {
    /// As written in the register: `R1`, `ACC-7`.
    package var identifier: String
    /// The progress.
    package var state: State
    /// The benchmarks named by `Measured by …` at the end of the wording.
    package var measuredBy: [String] = []
  }

  /// The rows in the register's order.
  package var entries: [Entry]

  /// Reads rows of the form `| R1 | open | words |` and skips all other lines. A row with an
  /// unknown state is skipped too, because the tidy test refuses it.
  package init(markdown: String) {
    entries = markdown.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard line.hasPrefix("|"), cells.count >= 5 else { return nil }
      let identifier = String(cells[1]).trimmed
      guard let state = State(rawValue: String(cells[2]).trimmed) else { return nil }
      return Entry(
        identifier: identifier, state: state,
        measuredBy: Self.benchmarks(in: cells[3...].joined(separator: "|")))
    }
  }

  /// The names in backquotes after the last `Measured by`.
  private static func benchmarks(in words: String) -> [String] {
    let parts = words.components(separatedBy: "Measured by ")
    guard parts.count > 1, let names = parts.last else { return [] }
    return names.split(separator: "`", omittingEmptySubsequences: false)
      .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
