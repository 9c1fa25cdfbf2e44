import Foundation
import Operations
import Testing

@Suite("The table of settings")
struct SettingTableTests {
  @Test("each name is unique, begins with TRACKME_ and has its own flag")
  func names() {
    let names = SettingTable.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.hasPrefix("TRACKME_") })
    #expect(Set(SettingTable.all.map(\.flag)).count == names.count)
  }

  @Test("every default is valid for its setting")
  func defaults() throws {
    let (settings, _) = try Settings.load(arguments: [], environment: [:], readFile: { _ in nil })
    for process in ProcessKind.allCases {
      for row in try settings.effective(for: process) { #expect(row.source == .absent) }
    }
  }

  @Test("docs/operations.md contains the same table")
  func documented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
    #expect(text.contains(SettingTable.markdown), "write it anew with `trackme settings --table`")
  }
}
