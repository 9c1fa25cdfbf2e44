import Testing

@Suite("errors rule")
struct ErrorsRuleTests {
  private func count(_ text: String, path: String = "Sources/Data4Help/Store.swift") -> Int {
    ErrorsRule.findings(in: SourceFile(path: path, text: text)).count
  }

  @Test("a Problem, or a status in a log line, is found below the routes")
  func found() {
    #expect(count("func a() throws(Problem) {}") == 1)
    #expect(count(#"log.error("a failed", [.number("status", 503)])"#) == 1)
  }

  @Test("routes, the modules of HTTP, comments and other names are allowed")
  func allowed() {
    #expect(count("func a() throws(Problem) {}", path: "Sources/Data4Help/RunRoutes.swift") == 0)
    #expect(count("func a() throws(Problem) {}", path: "Sources/Web/Route.swift") == 0)
    #expect(count("// Problem\nstruct FixtureProblem {}") == 0)
    #expect(count(#"writer.field("status", 1)"#) == 0)
  }
}
