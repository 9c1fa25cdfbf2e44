import Foundation
import Support
import Testing

/// `Tests/progress.py`, through which `make test` shows the output of the tests.
@Suite("The shown output of the tests")
struct TestProgressTests {
  /// Passes a text through the filter as the Makefile does: with the exit code of its source.
  private func filter(
    _ output: String, code: Int32, in directory: String
  ) throws -> (outcome: Copy.Outcome, stored: String) {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let stored = "\(directory)/stored"
    let outcome = try Copy.execute(
      URL(filePath: "/bin/bash"),
      [
        "-euo", "pipefail", "-c",
        "{ printf %s \"$1\"; exit \"$2\"; } 2>&1 | /usr/bin/python3 \"$3\" \"$4\"", "filter",
        output, "\(code)", tests.appending(path: "progress.py").path, stored,
      ], environment: [:])
    return (outcome, String(decoding: try Data(contentsOf: URL(filePath: stored)), as: UTF8.self))
  }

  @Test("failures, suites and unknown lines are shown, passed tests only stored")
  func lines() async throws {
    let hidden = """
      ◇ Test run started.
      ◇ Test "one" started.
      ◇ Test case passing 1 argument head → "GET / HTTP/1.1
      Host: a" to heads(_:) started.
      seed of heads(_:) in A.swift: 3
      ✔ Test "two" with 3 test cases passed after 0.001 seconds.

      """
    let shown = """
      ✔ Test "three" passed after 0.001 seconds with 1 known issue.
      ✘ Test "one" recorded an issue at A.swift:3:4: Expectation failed: 1 == 2
      ↳ a comment
      with a second line
      ✘ Test "one" failed after 0.002 seconds with 1 issue.
      ✘ Suite "all" failed after 0.003 seconds with 1 issue.
      ✘ Test run with 3 tests in 1 suite failed after 1.000 seconds with 1 issue.

      """
    try await withTemporaryDirectory { directory in
      let (outcome, stored) = try filter(hidden + shown, code: 7, in: directory)
      #expect(outcome.output == shown)
      #expect(outcome.code == 7)
      #expect(stored == hidden + shown)
    }
  }

  @Test("a crash within the start of a test is shown, also without a last line feed")
  func crash() async throws {
    let start = "◇ Test case passing 1 argument head → \"GET / HTTP/1.1\n"
    let crash = "A.swift:3: Fatal error: x\nerror: Exited with unexpected signal code 6"
    try await withTemporaryDirectory { directory in
      let (outcome, stored) = try filter(start + crash, code: 1, in: directory)
      #expect(outcome.output == crash + "\n")
      #expect(outcome.code == 1)
      #expect(stored == start + crash)
    }
  }
}
