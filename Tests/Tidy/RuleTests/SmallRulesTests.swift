import Testing

@Suite("markers, paths, names and architecture rules")
struct SmallRulesTests {
  @Test("a marker of unfinished work is found; a word that contains one is not")
  func markers() {
    let bad = "// \(MarkersRule.markers[0]): later\n// \(MarkersRule.markers[3])"
    let good = "let fiscalCode = \"\(MarkersRule.markers[2])TST90A01Z129L\"\n// todos"
    #expect(MarkersRule.findings(in: SourceFile(path: "a.md", text: bad)).count == 2)
    #expect(MarkersRule.findings(in: SourceFile(path: "a.md", text: good)).isEmpty)
  }

  @Test("a path of one machine is found, a folder of the same name is not")
  func machinePaths() {
    for path in PathsRule.machinePaths {
      let bad = SourceFile(path: "a.sh", text: "cp \(path)a b")
      let good = SourceFile(path: "a.sh", text: "cp docs\(path)a b")
      #expect(PathsRule.findings(in: bad).count == 1)
      #expect(PathsRule.findings(in: good).isEmpty)
    }
  }

  @Test("scripts are executable and nothing else is")
  func modes() {
    func count(_ text: String, _ isExecutable: Bool) -> Int {
      PathsRule.findings(in: SourceFile(path: "a", text: text, isExecutable: isExecutable)).count
    }
    #expect(count("#!/bin/sh\n", true) == 0)
    #expect(count("#!/bin/sh\n", false) == 1)
    #expect(count("words", true) == 1)
    #expect(count("words", false) == 0)
  }

  @Test("meaningless names are found")
  func names() {
    #expect(NamesRule.findings(modules: ["HTTP", "Common"]).count == 1)
    let bad = SourceFile(path: "Sources/HTTP/Utils.swift", text: "")
    let folder = SourceFile(path: "Sources/HTTP/Helpers/A.swift", text: "")
    let good = SourceFile(path: "Sources/HTTP/Score.swift", text: "")
    #expect(NamesRule.findings(in: bad).count == 1)
    #expect(NamesRule.findings(in: folder).count == 1)
    #expect(NamesRule.findings(in: good).isEmpty)
  }

  @Test("an undocumented setting, and one that no source reads, are found")
  func settings() {
    let source = SourceFile(path: "Sources/Gateway/A.swift", text: "\"TRACKME_A\", \"TRACKME_B_C\"")
    let document = SourceFile(path: SettingsRule.path, text: "`TRACKME_A`, `TRACKME_D`")
    #expect(
      SettingsRule.findings(in: source, documented: SettingsRule.names(in: document.text))
        .map(\.message) == ["TRACKME_B_C is not in docs/operations.md"])
    #expect(
      SettingsRule.findings(document: document, known: SettingsRule.names(in: source.text))
        .map(\.message) == ["TRACKME_D is read by no source"])
  }

  @Test("a module that the document omits, invents or describes differently is found")
  func architecture() {
    let table = PackageTable(
      manifest: "module(\"A\"), module(\"B\", imports: \"A\"), module(\"C\")")
    let rows = "| `A` | a | – |\n| `B` | b | `C` |\n| `D` | d | – |\n"
    let document = SourceFile(path: "docs/architecture.md", text: rows)
    #expect(
      ArchitectureRule.findings(document: document, table: table).map(\.message) == [
        "B: the document says [\"C\"], the package [\"A\"]", "C is missing in the module table",
        "D is in the module table, not in the package",
      ])
  }
}
