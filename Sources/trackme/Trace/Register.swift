/// The requirements register: the rows of the tables in `docs/requirements.md`.
package struct Register: Equatable, Sendable {
  /// How far a requirement is.
  package enum State: String, Sendable, CaseIterable {
    /// Nothing of it can be used yet.
    case open
    /// Some of it can be used.
    case partial
    /// All of it, shown by a test that passes.
    case done
  }

  /// A row: identifier and state; the words stay in the register.
  package struct Entry: Equatable, Sendable {
    /// As written in the register: `R1`, `ACC-7`.
    package var identifier: String
    /// How far it is.
    package var state: State
  }

  /// In the register's order.
  package var entries: [Entry]

  /// Reads rows of the form `| R1 | open | words |` and skips everything else; a row in another
  /// state is skipped too (the tidy test refuses it).
  package init(markdown: String) {
    entries = markdown.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard line.hasPrefix("|"), cells.count >= 5 else { return nil }
      let identifier = String(cells[1]).trimmed
      guard let state = State(rawValue: String(cells[2]).trimmed) else { return nil }
      return Entry(identifier: identifier, state: state)
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
