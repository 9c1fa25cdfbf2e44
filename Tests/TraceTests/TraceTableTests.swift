import Requirements
import Testing
import trackme_lab

@Suite("the traceability table")
struct TraceTableTests {
  private func table(_ rows: String, _ tests: [TestRecord]) -> TraceTable {
    TraceTable(register: Register(markdown: rows), tests: tests)
  }

  private func test(_ title: String, _ result: TestRecord.Result, _ shown: String...) -> TestRecord
  {
    TestRecord(id: title, module: "HTTPTests", title: title, requirements: shown, result: result)
  }

  @Test("the register's rows are read in order, and other lines are ignored")
  func register() {
    let text =
      "# Title\n| id | state | words |\n|---|---|---|\n| R2 | done | a |\n| R1 | open | b |"
    let entries = Register(markdown: text).entries
    #expect(entries.map(\.identifier) == ["R2", "R1"])
    #expect(entries.map(\.state) == [.done, .open])
  }

  @Test("a requirement marked done without a test is a gap", .tags(.NFR_7))
  func withoutTest() {
    #expect(table("| R1 | done | a |", []).gaps.map(\.identifier) == ["R1"])
    #expect(table("| R1 | partial | a |\n| R2 | open | b |", []).gaps.isEmpty)
  }

  @Test(
    "a requirement marked done with a test that did not pass is a gap", .tags(.NFR_7),
    arguments: [TestRecord.Result.failed, .skipped, .knownIssue, .notRun])
  func withoutPass(_ result: TestRecord.Result) {
    let tests = [test("a", .passed, "R1"), test("b", result, "R1")]
    #expect(table("| R1 | done | a |", tests).gaps.map(\.identifier) == ["R1"])
  }

  @Test("a requirement marked done whose tests passed is not a gap", .tags(.NFR_7))
  func shown() { #expect(table("| R1 | done | a |", [test("a", .passed, "R1")]).gaps.isEmpty) }

  @Test("the table links each requirement to its tests and their results", .tags(.NFR_7))
  func markdown() {
    let tests = [test("a|b", .passed, "R1"), test("c", .failed, "R1", "R2")]
    let text = table("| R1 | partial | a |\n| R2 | open | b |\n| R3 | open | c |", tests).markdown
    let end = """
      3 requirements: 0 done, 1 partial, 2 open. 2 of them have tests.

      | id | state | tests |
      |---|---|---|
      | R1 | partial | passed: a\\|b (`HTTPTests`)<br>failed: c (`HTTPTests`) |
      | R2 | open | failed: c (`HTTPTests`) |
      | R3 | open | – |

      """
    #expect(text.hasSuffix(end))
  }
}
