import Testing

@Suite("statements rule")
struct StatementsRuleTests {
  private func count(_ text: String, path: String = "Sources/Data4Help/A.swift") -> Int {
    StatementsRule.findings(in: [SourceFile(path: path, text: text)]).count
  }

  @Test("a statement that is in no list is found")
  func found() {
    #expect(count("struct A: Statement {}") == 1)
    #expect(count("struct A: RunList {}\nlet all = [AB.self]") == 1)
    #expect(count("struct A: Statement, Sendable {}\n// A.self") == 1)
  }

  @Test("a listed statement, other types, and the transaction's own statements pass")
  func fine() {
    #expect(count("struct A: Statement {}\nlet all = [A.self]") == 0)
    #expect(count("struct A: Sendable {}") == 0)
    #expect(count("struct Begin: Statement {}", path: "Sources/Postgres/A.swift") == 0)
  }
}
