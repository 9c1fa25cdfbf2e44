import Operations
import Testing

@Suite("Help and version of the services")
struct ProgramHelpTests {
  @Test(
    "the help lists the settings that the service reads, and no other",
    arguments: [ProcessKind.gateway, .data4help, .track4run])
  func settings(_ service: ProcessKind) throws {
    let help = try #require(ProgramHelp.answer(to: ["--help"], as: service))
    #expect(help.hasPrefix("usage: \(service.rawValue) "))
    let flags = help.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("  --") else { return nil }
      return line.split(separator: " ").first.map { String($0) }
    }
    let read = SettingTable.all.filter { $0.readers.contains(service) }.map(\.flag)
    #expect(flags == ["--help", "--version"] + read)
  }

  @Test("an argument for help or version is answered wherever it is, and others are not")
  func arguments() {
    #expect(ProgramHelp.answer(to: [], as: .gateway) == nil)
    #expect(ProgramHelp.answer(to: ["--http-port", "8080"], as: .gateway) == nil)
    let version = ProgramHelp.answer(to: ["--take-over", "--version"], as: .gateway)
    #expect(version == "gateway \(ProgramHelp.version)")
    let help = ProgramHelp.answer(to: ["--version", "-h"], as: .track4run)
    #expect(help?.hasPrefix("usage: track4run ") == true)
  }
}
