import Domain
import Requirements
import Testing

@Suite("Descriptions of companies")
struct CompanyDescriptionTests {
  @Test("a company's description has several lines and no direction marks", .tags(.ACC_4))
  func descriptions() throws {
    let text = "Studies of hearts.\n\tAnd lungs \u{1F468}\u{200D}\u{2695}\u{FE0F}"
    #expect(try CompanyDescription(" \(text)\n").description == text)
    for scalar in ["\u{202E}", "\u{2066}", "\u{2028}", "\u{E000}", "\u{1}", "\u{FEFF}"] {
      let error = #expect(throws: CompanyDescriptionError.self) {
        try CompanyDescription("a\(scalar)b")
      }
      #expect(error?.description.contains("line breaks are allowed") == true)
    }
    #expect(throws: CompanyDescriptionError.self) { try CompanyDescription(" - ") }
  }
}
