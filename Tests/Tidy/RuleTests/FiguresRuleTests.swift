import Foundation
import Testing

@Suite("the rule of figures that miss a bound")
struct FiguresRuleTests {
  private func count(_ reached: Double, named text: String, bound: String = "most") throws -> Int {
    let figures = """
      {"parts":{"gateway":{"figures":[{"what":"GET","reached":\(reached),"bound":"\(bound)",\
      "must":2000,"aim":0.5}]}}}
      """
    let document = "\n## Missed bounds and aims\n\(text)\n\n## Others\n0.71 and 16,185"
    return try FiguresRule.findings(document: document, figures: Data(figures.utf8)).count
  }

  @Test("a figure that misses its bound or aim is found unless the section has its value")
  func missed() throws {
    #expect(try count(0.7118, named: "| GET | 0.71, aim 0.5 |") == 0)
    #expect(try count(0.7118, named: "| GET | 0.70, aim 0.5 |") == 1)
    #expect(try count(0.7118, named: "| GET | 10.71, aim 0.5 |") == 1)
    #expect(try count(0.7118, named: "| GET | 0.713, aim 0.5 |") == 1)
    #expect(try count(16_184.8, named: "| uploads | 16,185 a second |") == 0)
    #expect(try count(16_184.8, named: "| uploads | 16,200 a second, aim 16,185 |") == 1)
    #expect(try count(1_999, named: "", bound: "least") == 1)
  }

  @Test("a figure that holds its bound and its aim is not in the section")
  func held() throws {
    #expect(try count(0.4, named: "") == 0)
    #expect(try count(2_001, named: "", bound: "least") == 0)
  }
}
