import Foundation
import Requirements
import Testing

/// Every rule holds for every file of the repository.
@Suite("the tree is tidy")
struct TreeTests {
  private let table: PackageTable
  private let register: SourceFile
  private let tags: SourceFile

  init() throws {
    table = PackageTable(manifest: try #require(Tree.file("Package.swift")).text)
    register = try #require(Tree.file(RequirementsRule.registerPath))
    tags = try #require(Tree.file(RequirementsRule.tagsPath))
  }

  @Test("the tree was found, and the package table was read")
  func treeWasFound() {
    #expect(Tree.swift.count > 40)
    #expect(table.libraries.contains("HTTP"))
    #expect(
      table.executables.sorted()
        == ["data4help", "gateway", "track4run", "trackme", "trackme-lab"])
    #expect(table.reachable(from: "HTTP").contains("EventLoop"))
  }

  @Test("imports only point downwards", .tags(.SOS_10))
  func imports() { expectNone(Tree.swift.flatMap { ImportsRule.findings(in: $0, table: table) }) }

  @Test("the gateway and Track4Run use no module of Data4Help")
  func separateServices() {
    let ofData4Help: Set = [
      "Accounts", "HealthRecords", "Sharing", "GroupStatistics", "Emergencies", "Data4Help",
    ]
    #expect(ofData4Help.isSubset(of: table.libraries))
    for service in ["Gateway", "Track4Run"] {
      #expect(table.reachable(from: service).isDisjoint(with: ofData4Help))
    }
  }

  @Test("the allocator is set in the same way wherever a process is started")
  func allocator() throws {
    let places = [
      "Sources/OperatorTool/System/ServiceProgram.swift", "deploy/compose.yaml",
      "deploy/systemd/trackme-gateway.service", "deploy/systemd/trackme-data4help@.service",
      "deploy/systemd/trackme-track4run@.service", "Tests/Bench/proxying.py",
    ]
    let settings = try places.map { path in
      Set(try #require(Tree.file(path)).text.matches(of: /glibc\.malloc\.\w+=\d+/).map(\.output))
    }
    #expect(settings[0].count == 3)
    for (path, set) in zip(places, settings) { #expect(set == settings[0], "\(path)") }
  }

  @Test("lines, functions and files keep their limits")
  func sizes() { expectNone(Tree.files.flatMap(SizeRule.findings)) }

  @Test("no banned call is used")
  func bannedCalls() { expectNone(Tree.files.flatMap(BannedCallsRule.findings)) }

  @Test("comments, documents and messages are plain sentences")
  func plainWords() { expectNone(PlainWordsRule.findings(in: Tree.files)) }

  @Test("no text is marked as unfinished")
  func markers() { expectNone(Tree.files.flatMap(MarkersRule.findings)) }

  @Test("no HTTP answer is an error below the routes, and no status a logged cause")
  func errors() { expectNone(Tree.files.flatMap(ErrorsRule.findings)) }

  @Test("every statement is in a list that is compared with the schema")
  func statements() { expectNone(StatementsRule.findings(in: Tree.files)) }

  @Test("unsafe code has a safety reason")
  func unsafeCode() { expectNone(Tree.files.flatMap(UnsafeRule.findings)) }

  @Test("strict memory safety is on for all Swift code, and so are checks at run time")
  func memorySafety() throws {
    let manifest = try #require(Tree.file("Package.swift")).text
    #expect(manifest.contains("  .strictMemorySafety(),\n  .treatAllWarnings(as: .error),\n"))
    let places = ["Package.swift", "Makefile", ".ci/run"]
    let built = Tree.files.filter { places.contains($0.path) || $0.path.hasPrefix("deploy/") }
    #expect(built.count > 20)
    for file in built {
      for flag in ["-Ounchecked", "-enforce-exclusivity", "-assume-single-threaded"] {
        #expect(!file.text.contains(flag), "\(file.path): \(flag)")
      }
    }
  }

  @Test("each benchmark that misses its bound or aim is named, with what would help")
  func figures() throws {
    let document = try #require(Tree.file(FiguresRule.path)).text
    let figures = Data(try #require(Tree.file(FiguresRule.figures)).text.utf8)
    expectNone(try FiguresRule.findings(document: document, figures: figures))
  }

  @Test("unchecked sendability has a reason")
  func sendability() { expectNone(Tree.files.flatMap(SendableRule.findings)) }

  @Test("the folders of a module form layers, and stay small")
  func folders() { expectNone(FolderCyclesRule.findings(in: Tree.files)) }

  @Test("declarations for other modules are documented")
  func documentation() {
    let requirements = Tree.files.map(DocumentationRule.requirements).reduce(into: Set<String>()) {
      $0.formUnion($1)
    }
    expectNone(
      Tree.files.flatMap { DocumentationRule.findings(in: $0, requirements: requirements) })
  }

  @Test("each module begins with its purpose")
  func modules() {
    expectNone(
      table.libraries.flatMap {
        DocumentationRule.findings(
          inModule: $0, mainFile: Tree.file("Sources/\($0)/\($0).swift"))
      })
  }

  @Test("modules and files have meaningful names")
  func names() {
    expectNone(NamesRule.findings(modules: Array(table.imports.keys)))
    expectNone(Tree.files.flatMap(NamesRule.findings(in:)))
  }

  @Test("the register and the tags name the same requirements", .tags(.NFR_7))
  func requirements() {
    expectNone(RequirementsRule.findings(register: register, tags: tags))
    expectNone(RequirementsRule.stateFindings(register: register))
    #expect(RequirementsRule.identifiers(inRegister: register.text).count > 130)
  }

  @Test("no file mentions a requirement that does not exist", .tags(.NFR_7))
  func mentions() {
    let known = Set(RequirementsRule.identifiers(inRegister: register.text))
    expectNone(Tree.files.flatMap { RequirementsRule.mentions(in: $0, known: known) })
  }

  @Test("a test with many requirements gives the reason", .tags(.NFR_7))
  func unexplained() { expectNone(Tree.files.flatMap(RequirementsRule.unexplained)) }

  @Test("the repository works wherever it is cloned")
  func paths() { expectNone(Tree.files.flatMap(PathsRule.findings)) }

  @Test("the documented settings are the existing ones")
  func settings() throws {
    let document = try #require(Tree.file(SettingsRule.path))
    let documented = SettingsRule.names(in: document.text)
    let known = Tree.files.filter(\.isProduct).map(\.text).map(SettingsRule.names)
    expectNone(Tree.files.flatMap { SettingsRule.findings(in: $0, documented: documented) })
    expectNone(
      SettingsRule.findings(
        document: document, known: known.reduce(into: []) { $0.formUnion($1) }))
  }

  @Test("the packages that the manifest names are installed")
  func packages() throws {
    let manifest = try #require(Tree.file("Package.swift")).text
    let list = try #require(Tree.file("deploy/packages.txt"))
    let listed = Set(list.lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    let named = manifest.matches(of: /apt: "([\w.+-]+)"/).map { String($0.1) }
    #expect(!named.isEmpty)
    #expect(Set(named).subtracting(listed).isEmpty)
  }

  @Test("the version that the programs print is the newest of the changelog")
  func version() throws {
    let changes = try #require(Tree.file("CHANGELOG.md")).text
    let heading = changes.firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\]/).map { String($0.1) }
    let newest = try #require(heading)
    let source = try #require(Tree.file("Sources/Operations/Lifecycle/ProgramHelp.swift")).text
    #expect(source.contains("static let version = \"\(newest)\"\n"))
  }

  @Test("the architecture's module table matches the package")
  func architecture() throws {
    let document = try #require(Tree.file(ArchitectureRule.path))
    expectNone(ArchitectureRule.findings(document: document, table: table))
  }

  /// One issue for all, each finding on a line of its own.
  private func expectNone(
    _ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let list = findings.map(\.description).joined(separator: "\n")
    #expect(
      findings.isEmpty, "\(findings.count) findings:\n\(list)", sourceLocation: sourceLocation)
  }
}
