import Testing

@Suite("folder cycles rule")
struct FolderCyclesRuleTests {
  private func findings(_ texts: [String: String]) -> [String] {
    let files = texts.map { SourceFile(path: "Sources/A/\($0.key)", text: $0.value) }
    return FolderCyclesRule.findings(in: files, modules: ["A"]).map(\.description).sorted()
  }

  @Test("two folders that name types of each other are found, with the file and the type")
  func pair() {
    #expect(
      findings([
        "X/X.swift": "package struct XRow {\n  let row: YRow\n}",
        "Y/Y.swift": "enum YRow {\n  static let rows = [XRow]()\n}",
      ]) == [
        "Sources/A/X/X.swift:2: A/X uses YRow of A/Y, and A/Y leads back to A/X",
        "Sources/A/Y/Y.swift:2: A/Y uses XRow of A/X, and A/X leads back to A/Y",
      ])
  }

  @Test("a cycle of three folders is found; a folder that only leads to it is not")
  func chain() {
    let found = findings([
      "W/W.swift": "struct WRow { let x: XRow }",
      "X/X.swift": "struct XRow { let y: YRow }",
      "Y/Nested/Y.swift": "final class YRow { let z: ZRow }",
      "Z/Z.swift": "struct ZRow {}\nextension XRow {}",
    ])
    #expect(found.count == 3)
    #expect(!found.contains { $0.contains("A/W/") })
  }

  @Test("a file outside the folders is one of its own")
  func outside() {
    let folder = "struct XRow { let values: Dependencies }"
    let dependencies = "struct Dependencies { let row: XRow }"
    #expect(findings(["X/X.swift": folder, "Dependencies.swift": dependencies]).count == 2)
    #expect(
      findings([
        "X/X.swift": folder, "Dependencies.swift": "struct Dependencies {}",
        "All.swift": "let all = [XRow.self]",
      ]).isEmpty)
  }

  @Test("references in one direction, comments, literals and private types pass")
  func layers() {
    #expect(
      findings([
        "X/X.swift": "// YRow\nstruct XRow {}\nlet text = \"YRow\"\nprivate struct Row {}",
        "X/Z.swift": "struct ZRow { let row: XRow }",
        "Y/Y.swift": "struct YRow { let row: XRow }\nprivate struct Row {}",
      ]).isEmpty)
  }

  @Test("a folder of 40 files passes, one of 41 does not; nested folders count by themselves")
  func files() {
    func folder(_ path: String, _ count: Int) -> [String: String] {
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(path)/F\($0).swift", "") })
    }
    #expect(findings(folder("X", 40).merging(folder("X/Y", 40)) { $1 }).isEmpty)
    #expect(findings(folder("X", 41)) == ["Sources/A/X:0: 41 files, at most 40: split it"])
  }

  @Test("a module without files is found, and others are not compared")
  func modules() {
    #expect(FolderCyclesRule.findings(in: [], modules: ["A"]).count == 1)
    let other = [
      SourceFile(path: "Sources/B/X/X.swift", text: "struct XRow { let y: YRow }"),
      SourceFile(path: "Sources/B/Y/Y.swift", text: "struct YRow { let x: XRow }"),
    ]
    #expect(FolderCyclesRule.findings(in: other, modules: []).isEmpty)
  }
}
