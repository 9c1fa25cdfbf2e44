/// A test, the requirements it shows, and its last result.
package struct TestRecord: Equatable, Sendable {
  /// The result of a test; only `passed` shows a requirement.
  package enum Result: String, Sendable {
    case passed
    case failed
    case skipped
    /// Passed, but with an issue declared as known.
    case knownIssue = "known issue"
    /// Not started, or started and never ended.
    case notRun = "not run"
  }

  /// The test's identifier in the stream.
  package var id: String
  /// The test target.
  package var module: String
  /// The test's display name, a sentence.
  package var title: String
  /// Identifiers as in the register.
  package var requirements: [String]
  /// The last result.
  package var result: Result

  /// Creates a record from its parts.
  package init(
    id: String, module: String, title: String, requirements: [String], result: Result
  ) {
    self.id = id
    self.module = module
    self.title = title
    self.requirements = requirements
    self.result = result
  }
}
