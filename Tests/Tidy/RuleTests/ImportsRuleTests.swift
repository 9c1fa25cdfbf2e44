import Testing

@Suite("imports rule")
struct ImportsRuleTests {
  private let table = PackageTable(
    manifest: """
      system("COpenSSL", apt: "libssl-dev"),
      module("EventLoop"),
      module("Operations", imports: "EventLoop"),
      module("HTTP", imports: "Operations", "COpenSSL"),
      module(
        "Data4Help", imports: "HTTP"),
      module("Domain"),
      executable("trial-run", imports: "Domain"),
      executable("trackme", imports: "Domain"),
      tests("HTTPTests", imports: "HTTP"),
      tests("TrialTests", imports: "trial-run"),
      """)

  private func messages(_ path: String, _ text: String) -> [String] {
    ImportsRule.findings(in: SourceFile(path: path, text: text), table: table).map(\.description)
  }

  @Test("an import that points upwards is found, with its line")
  func upwards() {
    #expect(
      messages("Sources/Operations/Log.swift", "import EventLoop\nimport HTTP") == [
        "Sources/Operations/Log.swift:2: Operations may not import HTTP: see docs/architecture.md"
      ])
  }

  @Test("direct and transitive dependencies may be imported")
  func downwards() {
    #expect(messages("Sources/Data4Help/A.swift", "import EventLoop\nimport HTTP").isEmpty)
  }

  @Test("a C library is imported by its modules and by tests only")
  func libraries() {
    #expect(messages("Sources/HTTP/A.swift", "import COpenSSL").isEmpty)
    #expect(messages("Tests/HTTPTests/A.swift", "import COpenSSL").isEmpty)
    #expect(messages("Sources/Data4Help/A.swift", "import COpenSSL").count == 1)
  }

  @Test("the hyphen in the name of a target is an underscore in its import")
  func hyphens() {
    #expect(messages("Tests/TrialTests/A.swift", "import Domain\nimport trial_run").isEmpty)
    #expect(messages("Tests/HTTPTests/A.swift", "import trial_run").count == 1)
    #expect(messages("Sources/trial-run/A.swift", "import Domain\nimport HTTP").count == 1)
  }

  @Test(
    "every spelling of an import is found",
    arguments: [
      "package import HTTP", "@preconcurrency import HTTP", "import struct HTTP.Request",
      "  internal import HTTP", "@_exported public import HTTP",
    ])
  func spellings(_ line: String) {
    #expect(messages("Sources/Operations/Log.swift", line).count == 1)
  }

  @Test("an import in a comment or a string does not count")
  func comments() {
    #expect(
      messages("Sources/Operations/Log.swift", "// import HTTP\nlet a = \"import HTTP\"").isEmpty)
  }

  @Test("Foundation is allowed in tools and tests only")
  func foundation() {
    #expect(messages("Sources/HTTP/A.swift", "import Foundation").count == 1)
    #expect(messages("Sources/HTTP/A.swift", "import FoundationEssentials").count == 1)
    #expect(messages("Sources/Data4Help/A.swift", "import Foundation").count == 1)
    #expect(messages("Sources/trackme/A.swift", "import Foundation").isEmpty)
    #expect(messages("Tests/HTTPTests/A.swift", "import Foundation").isEmpty)
  }

  @Test("the domain may not even import Glibc")
  func domain() {
    #expect(messages("Sources/Domain/A.swift", "import Glibc").count == 1)
    #expect(messages("Sources/HTTP/A.swift", "import Glibc\nimport Synchronization").isEmpty)
  }

  @Test("tests may import Testing and the requirements, products may not")
  func testing() {
    #expect(messages("Tests/HTTPTests/A.swift", "import Testing\nimport Requirements").isEmpty)
    #expect(messages("Sources/HTTP/A.swift", "import Testing").count == 1)
  }
}
