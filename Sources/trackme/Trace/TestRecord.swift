/// A test, the requirements it shows, and how it went the last time.
package struct TestRecord: Equatable, Sendable {
  /// How a test went; only `passed` shows a requirement.
  package enum Result: String, Sendable {
    case passed
    case failed
    case skipped
    /// Passed, but with an issue that is declared as known.
    case knownIssue = "known issue"
    /// Left out, or begun and never ended.
    case notRun = "not run"
  }

  /// The stream's own name of the test.
  package var id: String
  /// The test target.
  package var module: String
  /// The sentence that the test is named by.
  package var title: String
  /// Identifiers as in the register.
  package var requirements: [String]
  /// How it went.
  package var result: Result

  /// A test with all that is known of it.
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
