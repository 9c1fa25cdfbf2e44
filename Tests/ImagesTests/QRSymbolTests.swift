import Images
import Requirements
import Testing

@Suite("QR codes")
struct QRSymbolTests {
  /// The finder pattern in three corners (ISO/IEC 18004, 6.3.3).
  private static let finder = [
    "#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######",
  ]

  private func square(_ symbol: QRSymbol, _ column: Int, _ row: Int) -> [String] {
    (row..<row + 7).map { row in
      (column..<column + 7).map { symbol[$0, row] ? "#" : " " }.joined()
    }
  }

  @Test("a symbol has the size its text needs, and three finder patterns", .tags(.RUN_4))
  func shape() throws {
    let symbol = try #require(QRSymbol("https://localhost:8443/r/ABCDEFGH"))
    #expect(symbol.width == 29)
    for (column, row) in [(0, 0), (22, 0), (0, 22)] {
      #expect(square(symbol, column, row) == Self.finder)
    }
    #expect(square(symbol, 22, 22) != Self.finder)
    #expect(symbol == QRSymbol("https://localhost:8443/r/ABCDEFGH"))
    #expect(symbol != QRSymbol("https://localhost:8443/r/ABCDEFGJ"))
  }

  @Test("the picture has the modules and a white margin, but not the text", .tags(.RUN_4))
  func picture() throws {
    let symbol = try #require(QRSymbol("<script>"))
    let svg = symbol.svg
    #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\""))
    #expect(svg.contains("d=\"M4 4h7v1h-7z"))
    #expect(!svg.contains("script"))
    #expect(svg.hasSuffix("/></svg>\n"))
  }

  @Test(
    "a text that does not fit into a symbol is refused", .tags(.RUN_4),
    arguments: [("", false), ("a\0b", false), ("2331", true), ("2332", false)])
  func limits(text: String, isSymbol: Bool) {
    let long = Int(text).map { String(repeating: "a", count: $0) } ?? text
    #expect((QRSymbol(long) != nil) == isSymbol)
  }
}
