import Foundation
import Requirements
import Testing
import trackme_lab

@Suite("the event stream of a test run")
struct TestEventsTests {
  /// A declaration in the format of Swift 6.3.1, shortened.
  private func declared(_ name: String, _ tags: String, kind: String = "function") -> String {
    """
    {"kind":"test","payload":{"_tags":[\(tags)],"displayName":"\(name)","id":"HTTPTests.\(name)",\
    "kind":"\(kind)","name":"f()"},"version":0}
    """
  }

  private func event(_ kind: String, _ name: String, _ symbol: String) -> String {
    """
    {"kind":"event","payload":{"instant":{"absolute":1.5},"kind":"\(kind)",\
    "messages":[{"symbol":"\(symbol)","text":"words"}],"testID":"HTTPTests.\(name)"},"version":0}
    """
  }

  private func tests(_ lines: String...) throws -> [TestRecord] {
    try TestEvents.tests(in: Data(lines.joined(separator: "\n").utf8))
  }

  @Test("a test has a title, a target and requirements", .tags(.NFR_7))
  func declaration() throws {
    let found = try tests(declared("b is c", "\".R2\",\".ACC_1\""))
    #expect(
      found == [
        TestRecord(
          id: "HTTPTests.b is c", module: "HTTPTests", title: "b is c",
          requirements: ["R2", "ACC-1"], result: .notRun)
      ])
  }

  @Test(
    "the end of a test sets its result", .tags(.NFR_7),
    arguments: [
      ("testEnded", "pass", TestRecord.Result.passed), ("testEnded", "fail", .failed),
      ("testEnded", "passWithKnownIssue", .knownIssue), ("testSkipped", "skip", .skipped),
      ("testStarted", "default", .notRun), ("testEnded", "something new", .failed),
    ])
  func results(_ kind: String, _ symbol: String, _ result: TestRecord.Result) throws {
    #expect(try tests(declared("a", ""), event(kind, "a", symbol)).map(\.result) == [result])
  }

  @Test("an issue makes a test fail, whatever result its end reports")
  func issue() throws {
    let found = try tests(
      declared("a", ""), event("issueRecorded", "a", "fail"), event("testEnded", "a", "pass"))
    #expect(found.map(\.result) == [.failed])
  }

  @Test("suites are not tests, and events of the whole run belong to no test")
  func others() throws {
    let run = "{\"kind\":\"event\",\"payload\":{\"kind\":\"runStarted\",\"messages\":[]}}"
    #expect(try tests(declared("a", "", kind: "suite"), run).isEmpty)
  }

  @Test("a line that is not JSON is refused with its number")
  func malformed() {
    #expect(throws: TestEvents.MalformedLine(line: 2)) {
      try self.tests(self.declared("a", ""), "{")
    }
  }
}
