import Domain
import JSON
import ServiceKit

/// A query for the warnings to a person who joins a run (RUN-14).
package struct RunnerQuestion: Sendable, Hashable {
  /// The person who joins.
  package let account: AccountID

  /// A query about this person; the response is for that person alone.
  package init(_ account: AccountID) { self.account = account }
}

/// The warnings, without the values that led to them.
package struct RunnerWarnings: Sendable, Hashable {
  /// In the order of `RunWarning.allCases`.
  package let warnings: [RunWarning]

  /// These warnings.
  package init(_ warnings: [RunWarning]) { self.warnings = warnings }
}

extension RunnerQuestion: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      try reader.object(with: "account") { (reader) throws(JSONError) in try reader.account() })
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("account", account.rawValue) }
  }
}

extension RunnerWarnings: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      try reader.object(with: "warnings") { (reader) throws(JSONError) in
        var warnings: [RunWarning] = []
        try reader.beginArray(countMax: RunWarning.allCases.count)
        while try reader.nextElement() {
          guard let warning = RunWarning(rawValue: try reader.string()) else {
            throw reader.refusal("This is not a warning of a run.")
          }
          warnings.append(warning)
        }
        return warnings
      })
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("warnings", warnings.map(\.rawValue)) }
  }
}
