import Testing

@Suite("documentation rule")
struct DocumentationRuleTests {
  private func count(_ text: String, path: String = "Sources/HTTP/A.swift") -> Int {
    DocumentationRule.findings(in: SourceFile(path: path, text: text)).count
  }

  @Test(
    "a declaration for other modules without a doc comment is found",
    arguments: [
      "package func f() {}", "  package static let a = 1", "public struct A {}",
      "package init(a: Int) {}", "@inlinable package mutating func f() {}",
      "package private(set) var a = 1", "package final class A {}",
      "nonisolated package func f() {}",
      "// not a doc comment\npackage enum A {}", "/// Another.\nlet b = 1\npackage let a = 1",
      "package indirect enum A {}", "package nonisolated(unsafe) var a = 1",
    ])
  func found(_ text: String) { #expect(count(text) == 1) }

  @Test(
    "documented declarations and other code pass",
    arguments: [
      "/// A.\npackage func f() {}", "/// A.\n@discardableResult\npackage func f() {}",
      "/** A. */\npackage func f() {}", "package import HTTP", "package extension A {}",
      "func f() {}", "let package = Package()",
      "/// The three.\npackage static let a = 1\npackage static let b = 2\npackage let c: Int",
      "package static func == (left: A, right: A) -> Bool { true }",
      "package init(integerLiteral value: Int) {}",
    ])
  func passed(_ text: String) { #expect(count(text) == 0) }

  @Test("only a run of properties shares a comment")
  func runs() {
    #expect(count("/// A.\npackage let a = 1\n\npackage let b = 2") == 1)
    #expect(count("/// A.\npackage func f() {}\npackage func g() {}") == 1)
  }

  @Test("the implementation of a protocol requirement is documented in the protocol")
  func requirements() {
    let members = "  static var oid: Int { get }\n  func f()\n  init(a: Int)\n"
    let text = "package protocol P {\n\(members)}\nvar b = 1"
    let names = DocumentationRule.requirements(
      in: SourceFile(path: "Sources/HTTP/P.swift", text: text))
    #expect(names == ["var oid", "func f", "init a"])
    let file = SourceFile(
      path: "Sources/HTTP/A.swift", text: "package static let oid = 1\n\npackage func g() {}")
    #expect(DocumentationRule.findings(in: file, requirements: names).map(\.line) == [3])
  }

  @Test("tests need no documentation")
  func tests() { #expect(count("package func f() {}", path: "Tests/Support/A.swift") == 0) }

  @Test("a module without a main file, or without an opening paragraph in it, is found")
  func modules() {
    let path = "Sources/HTTP/HTTP.swift"
    let short = SourceFile(path: path, text: "// The HTTP module.\nimport A")
    let long = SourceFile(
      path: path,
      text: "// Messages, and the engines that read and write them.\n"
        + "// The engines do no input or output themselves.\nimport A")
    #expect(DocumentationRule.findings(inModule: "HTTP", mainFile: nil).count == 1)
    #expect(DocumentationRule.findings(inModule: "HTTP", mainFile: short).count == 1)
    #expect(DocumentationRule.findings(inModule: "HTTP", mainFile: long).isEmpty)
  }
}
