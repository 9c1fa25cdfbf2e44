import Foundation
import Requirements
import Testing
import trackme_lab

@Suite("measurements as evidence")
struct MeasurementsTests {
  private static let row = "| R1 | done | fast. Measured by `groups`, `sos`. |"

  private func part(_ figures: String, code: String = "abc") -> String {
    """
    {"date":"2026-11-22","commit":"967de21","machine":"2 cores","code":"\(code)",\
    "figures":[\(figures)]}
    """
  }

  private func figure(_ holds: Bool, must: String = "5") -> String {
    """
    {"what":"warm","reached":0.81,"unit":"s","bound":"most","must":\(must),"aim":0.5,\
    "holds":\(holds)}
    """
  }

  private func table(groups: String, sos: String) throws -> TraceTable {
    let document = "{\"parts\":{\"groups\":\(groups),\"sos\":\(sos)}}"
    let measurements = try Measurements(
      document: Data(document.utf8), code: Data("{\"groups\":\"abc\",\"sos\":\"new\"}".utf8))
    let test = TestRecord(
      id: "a", module: "HTTPTests", title: "a", requirements: ["R1"], result: .passed)
    return TraceTable(
      register: Register(markdown: Self.row), tests: [test], measurements: measurements)
  }

  @Test("the register names the benchmarks required by a line", .tags(.NFR_7))
  func names() {
    #expect(Register(markdown: Self.row).entries.map(\.measuredBy) == [["groups", "sos"]])
    #expect(Register(markdown: "| R1 | done | `a` |").entries.map(\.measuredBy) == [[]])
  }

  @Test("a line marked done whose measurement is missing is a gap", .tags(.NFR_7))
  func missing() {
    let test = TestRecord(
      id: "a", module: "HTTPTests", title: "a", requirements: ["R1"], result: .passed)
    let table = TraceTable(register: Register(markdown: Self.row), tests: [test])
    #expect(
      table.gaps.map(\.sentence)
        == ["R1 is marked done, but `make bench` has not measured `groups`."])
  }

  @Test("a line marked done whose benchmark missed its bound, or has none, is a gap", .tags(.NFR_7))
  func missed() throws {
    let held = part(figure(true))
    #expect(try table(groups: held, sos: held).gaps.isEmpty)
    #expect(try table(groups: held, sos: part(figure(false))).gaps.map(\.identifier) == ["R1"])
    #expect(
      try table(groups: part(figure(true, must: "null")), sos: held).gaps.map(\.identifier)
        == ["R1"])
  }

  @Test(
    "the table shows figures, bounds, date, commit, machine, and stale measurements", .tags(.NFR_7))
  func shown() throws {
    let held = part(figure(true))
    let text = try table(groups: held, sos: held).markdown
    #expect(
      text.contains(
        "measured 2026-11-22 at 967de21 on 2 cores: `groups`<br>warm 0.81 s (at most 5 s)"))
    #expect(text.contains("stale, measured 2026-11-22 at 967de21 on 2 cores: `sos`"))
  }

  @Test("a malformed document is refused")
  func malformed() {
    #expect(throws: DecodingError.self) {
      _ = try Measurements(document: Data("[]".utf8), code: Data("{}".utf8))
    }
  }
}
