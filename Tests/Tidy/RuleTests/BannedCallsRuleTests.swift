import Testing

@Suite("banned calls rule")
struct BannedCallsRuleTests {
  private func messages(_ text: String, path: String = "Sources/Gateway/A.swift") -> [String] {
    BannedCallsRule.findings(in: SourceFile(path: path, text: text)).map(\.message)
  }

  @Test(
    "a banned call is found",
    arguments: [
      "print(a)", "debugPrint(a)", "let now = Date()", "Date.now", "try! f()", "a as! B",
      "Task { }", "Task(priority: .low) { }", "Task.detached { }", "fatalError(\"no\")",
      "let a = b!", "f()!.c", "a[0]!", "var a: String!", "sleep(1)", "usleep(1)",
      "try await Task.sleep(for: .seconds(1))", "Int.random(in: 0..<3)",
    ])
  func found(_ line: String) { #expect(messages(line).count == 1, "\(messages(line))") }

  @Test(
    "code that only resembles a banned call passes",
    arguments: [
      "blueprint(a)", "writer.print(a)", "static func print(_ a: A) {",
      "Date(timeIntervalSince1970: 0)", "birthDate()",
      "try f()", "a != b", "!a", "if !f() {", "// try! print(a)", "\"Task { } a!\"",
      "asleep(a)", "ChildTask { }", "withTaskGroup { }", "let s = \"\"\"\n  print(a)\n  \"\"\"",
      "executorPreference",
    ])
  func passed(_ line: String) { #expect(messages(line).isEmpty, "\(messages(line))") }

  @Test("an interpolated expression is code")
  func interpolation() { #expect(messages("let a = \"x \\(b!) y\"").count == 1) }

  @Test("only the event loop and the server start tasks")
  func tasks() {
    #expect(messages("Task { }", path: "Sources/Web/A.swift").isEmpty)
    #expect(messages("Task { }", path: "Sources/EventLoop/A.swift").isEmpty)
  }

  @Test("tests may unwrap, but neither sleep nor look inside modules")
  func tests() {
    #expect(messages("let a = b!", path: "Tests/HTTPTests/A.swift").isEmpty)
    #expect(messages("usleep(3)", path: "Tests/HTTPTests/A.swift").count == 1)
    #expect(messages("@testable import HTTP", path: "Tests/HTTPTests/A.swift").count == 1)
  }

  @Test("tests do not wait by yielding, the product may yield")
  func yielding() {
    #expect(messages("await Task.yield()", path: "Tests/HTTPTests/A.swift").count == 1)
    #expect(messages("await Task.yield()").isEmpty)
    #expect(messages("continuation.yield()", path: "Tests/HTTPTests/A.swift").isEmpty)
  }

  @Test("the finding names the replacement")
  func replacement() {
    #expect(messages("try! f()") == ["try! is not used here: use a typed throw"])
  }
}
