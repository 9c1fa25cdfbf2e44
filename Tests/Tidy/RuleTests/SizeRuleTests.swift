import Testing

@Suite("size rule")
struct SizeRuleTests {
  private func messages(_ text: String, path: String = "Sources/HTTP/A.swift") -> [String] {
    SizeRule.findings(in: SourceFile(path: path, text: text)).map(\.message)
  }

  private func body(_ head: String, lines: Int) -> String {
    "\(head) {\n" + String(repeating: "  work()\n", count: lines) + "}\n"
  }

  @Test("a line of 100 columns passes, one of 101 does not")
  func columns() {
    #expect(messages(String(repeating: "é", count: 100)).isEmpty)
    #expect(messages(String(repeating: "é", count: 101)) == ["101 columns, at most 100"])
  }

  @Test(
    "the width limit holds for scripts, the Makefile, SQL and pages, not for prose and data")
  func kinds() {
    let wide = String(repeating: "a", count: 101)
    #expect(messages(wide, path: "deploy/setup.sh").count == 1)
    #expect(messages(wide, path: "Makefile").count == 1)
    #expect(messages(wide, path: "sql/0001.sql").count == 1)
    #expect(messages(wide, path: "sql/reference/places.sql").isEmpty)
    #expect(messages(wide, path: "docs/api.md").isEmpty)
    for page in ["Client/api.js", "Style/base.css", "Shell/index.html"] {
      #expect(messages(wide, path: "Sources/WebApp/\(page)").count == 1)
    }
    #expect(messages(wide, path: "Tests/Web/course.test.mjs").count == 1)
    #expect(messages(wide, path: "Sources/WebApp/Text/en.json").isEmpty)
    #expect(messages(wide, path: "Sources/WebApp/Client/types.d.ts").isEmpty)
  }

  @Test(
    "a body of 70 lines passes, one of 71 does not",
    arguments: [
      "func run()", "package static func run<T>(_ a: T) async throws(E) -> [Int]", "init?(a: Int)",
      "subscript(index: Int) -> Int", "deinit", "package var size: Int",
      "private let received: Callback =",
      "func run(\n  _ a: Int = { 3 }()\n) async\n  -> Int\nwhere A == B",
    ])
  func functions(_ head: String) {
    #expect(messages(body(head, lines: 70)).isEmpty)
    #expect(messages(body(head, lines: 71)).count == 1)
  }

  @Test("the import of a function has no body")
  func importedFunction() {
    let long = body("extension A", lines: 80)
    #expect(messages("import func CLinux.epoll_wait\n\n" + long).isEmpty)
  }

  @Test("a requirement of a protocol has no body")
  func requirement() {
    let long = body("extension A", lines: 80)
    #expect(messages("protocol P {\n  func run()\n  var a: Int { get }\n}\n" + long).isEmpty)
  }

  @Test("braces in strings and comments do not count")
  func braces() {
    let tricky = "func run() {\n  let a = \"}\" // }\n" + String(repeating: "  b()\n", count: 70)
    #expect(messages(tricky + "}\n").count == 1)
  }

  @Test("a file of 400 lines passes, one of 401 does not")
  func files() {
    #expect(messages(String(repeating: "a\n", count: 400)).isEmpty)
    #expect(messages(String(repeating: "a\n", count: 401)) == ["401 lines, at most 400: split it"])
  }
}
