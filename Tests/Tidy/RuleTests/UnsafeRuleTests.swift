import Testing

@Suite("unsafe rule")
struct UnsafeRuleTests {
  private func count(_ text: String, path: String = "Sources/HTTP/A.swift") -> Int {
    UnsafeRule.findings(in: SourceFile(path: path, text: text)).count
  }

  @Test(
    "unsafe code without a reason is found",
    arguments: [
      "func f() {\n  unsafe g()\n}", "let a = unsafe b.pointee",
      "nonisolated(unsafe) var a = 0", "unowned(unsafe) let a: B",
    ])
  func found(_ text: String) { #expect(count(text) == 1) }

  @Test("a reason directly above, in the same function, or above the function covers it")
  func covered() {
    #expect(count("// SAFETY: because\nlet a = unsafe b") == 0)
    let filler = String(repeating: "  work()\n", count: 20)
    #expect(count("func f() {\n  // SAFETY: because\n\(filler)  unsafe g()\n}") == 0)
    #expect(count("func f() {\n  unsafe g { a in\n    // SAFETY: because\n    a }\n}") == 0)
    #expect(count("// SAFETY: because\n@inlinable\nfunc f() {\n\(filler)  unsafe g()\n}") == 0)
  }

  @Test("a reason for the whole file is above its first declaration")
  func header() {
    let filler = String(repeating: "  work()\n", count: 20)
    #expect(count("import A\n\n// SAFETY: because\n\nfunc f() {\n\(filler)  unsafe g()\n}") == 0)
  }

  @Test("storing a pointer in a property does not count as a use")
  func stored() {
    #expect(count("init(owning a: A) { unsafe self.a = a }") == 0)
    #expect(count("init(owning a: A) { unsafe self.a = a.pointee }") == 1)
  }

  @Test("a reason in another function does not cover it")
  func another() {
    let filler = String(repeating: "  work()\n", count: 9)
    #expect(
      count("func f() {\n  // SAFETY: because\n}\n\nfunc g() {\n\(filler)  unsafe h()\n}") == 1)
  }

  @Test("the word in comments, strings, labels and attributes does not count")
  func words() {
    #expect(count("// unsafe\nlet a = \"unsafe\"\n@unsafe func f(unsafe: Int) {}") == 0)
  }

  @Test("tests need no reason")
  func tests() { #expect(count("unsafe f()", path: "Tests/HTTPTests/A.swift") == 0) }
}
