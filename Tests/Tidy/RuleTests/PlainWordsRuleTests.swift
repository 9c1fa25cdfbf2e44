import Testing

@Suite("plain words rule")
struct PlainWordsRuleTests {
  private func count(_ path: String, _ text: String) -> Int {
    PlainWordsRule.count(in: SourceFile(path: path, text: text)).idioms
  }

  @Test(
    "each idiom is counted, in any case and across lines",
    arguments: [
      "the one who\nwaits", "Who is here", "whoever calls", "It stands here.", "Nobody's",
      "gives a value", "no more calls", "not any more", "far away", "so many calls", "so long",
      "it goes on", "go\n on", "a value is to be set", "of whom", "of which",
    ])
  func counted(text: String) { #expect(PlainWordsRule.count(text).idioms == 1) }

  @Test(
    "similar phrases are not counted",
    arguments: [
      "so many as needed", "so long as it runs", "who, is", "who sends", "they understand",
      "outstanding", "no. More", "is to begin", "which", "give_up",
    ])
  func similar(text: String) { #expect(PlainWordsRule.count(text).idioms == 0) }

  @Test("comments, documents, SQL comments and messages of the product are counted")
  func texts() {
    #expect(count("Sources/A/A.swift", "/// It goes\n/// on.\nlet away = nobody") == 1)
    #expect(count("Tests/A/A.swift", "run()  // It stands here.") == 1)
    #expect(count("Sources/A/A.swift", "log(\"nobody is here now\", \"away\")") == 1)
    #expect(count("sql/0001.sql", "SELECT away; -- It stands here.") == 1)
    #expect(count("README.md", "It stands here.") == 1)
    #expect(count("docs/decisions/0001.md", "It stands here.") == 1)
  }

  @Test("code, names in literals, literals of tests and generated documents are not counted")
  func otherTexts() {
    #expect(count("Sources/A/A.swift", "let away = give(nobody, \"stands\")") == 0)
    #expect(count("Sources/A/A.swift", "run(\"http://a // b\").away()") == 0)
    #expect(count("Tests/A/A.swift", "log(\"nobody is here now\")") == 0)
    #expect(count("docs/traceability.md", "It stands here.") == 0)
    #expect(count("Makefile", "# It stands here.") == 0)
  }

  @Test("a share above the limit lists the worst files, a share at the limit passes")
  func limit() {
    let files = [
      SourceFile(path: "docs/a.md", text: String(repeating: "word ", count: 9_996) + "away"),
      SourceFile(path: "docs/b.md", text: "nobody stands here"),
    ]
    #expect(PlainWordsRule.findings(in: files, limit: 3).isEmpty)
    let findings = PlainWordsRule.findings(in: files, limit: 2)
    #expect(findings.map(\.path) == ["docs/b.md", "docs/a.md"])
    #expect(findings.allSatisfy { $0.message.contains("the limit is 2") })
  }
}
