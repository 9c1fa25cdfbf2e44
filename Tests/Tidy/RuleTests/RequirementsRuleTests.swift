import Testing

@Suite("requirements rule")
struct RequirementsRuleTests {
  private func register(_ rows: String) -> SourceFile {
    SourceFile(path: "docs/requirements.md", text: rows)
  }

  private func tags(_ names: String...) -> SourceFile {
    let lines = names.map { "  @Tag package static var \($0): Self" }.joined(separator: "\n")
    return SourceFile(path: "Tests/Requirements/Tags.swift", text: lines)
  }

  private func messages(_ rows: String, _ tags: SourceFile) -> [String] {
    RequirementsRule.findings(register: register(rows), tags: tags).map(\.message)
  }

  @Test("the same identifiers on both sides pass")
  func same() {
    #expect(messages("| R1 | open | a |\n| ACC-1 | done | b |", tags("R1", "ACC_1")).isEmpty)
  }

  @Test("an identifier without a tag, and a tag without a line, are found")
  func different() {
    #expect(
      messages("| R1 | open | a |", tags("ACC_1")) == [
        "R1 of the register has no tag", "the tag ACC-1 is not in the register",
      ])
  }

  @Test("a duplicate identifier is found")
  func twice() {
    #expect(
      messages("| R1 | open | a |\n| R1 | open | b |", tags("R1")) == [
        "R1 stands there more than once"
      ])
  }

  @Test("a state is open, partial or done")
  func states() {
    let rows = register(
      "| R1 | open | a |\n| R2 | partial | a |\n| R3 | done | a |\n| R4 | x | a |")
    #expect(
      RequirementsRule.stateFindings(register: rows).map(\.message) == [
        "R4 is open, partial or done, not 'x'"
      ])
  }

  @Test("more than four requirements of one test need a comment above it")
  func unexplained() {
    func lines(_ tags: String, comment: String = "") -> [Int] {
      // Built from parts, so that this file contains no such test itself.
      let text = "\(comment)  @\("Test")(\n    \"a\", .tags(\(tags)))\n"
      let file = SourceFile(path: "Tests/HTTPTests/A.swift", text: text)
      return RequirementsRule.unexplained(in: file).map(\.line)
    }
    #expect(lines(".R1, .R2, .R3, .R4").isEmpty)
    #expect(lines(".R1, .R2, .R3, .R4, .R5") == [2])
    #expect(lines(".R1, .R2, .R3, .R4, .R5", comment: "  // One story.\n").isEmpty)
  }

  @Test("an unknown mention or tag is found; similar names of other things are not")
  func mentions() {
    let known: Set = ["R1", "ACC-1", "NFR-6"]
    // Built from parts, so that this file contains no such mention itself.
    let unknown = "ACC" + "-99"
    let text = "// ACC-1 and \(unknown)\n.tags(.ACC\("_")99)\nUTF-8 SHA-256"
    let file = SourceFile(path: "Sources/HTTP/A.swift", text: text)
    #expect(
      RequirementsRule.mentions(in: file, known: known).map(\.description) == [
        "Sources/HTTP/A.swift:1: \(unknown) is not in docs/requirements.md",
        "Sources/HTTP/A.swift:2: \(unknown) is not in docs/requirements.md",
      ])
  }
}
