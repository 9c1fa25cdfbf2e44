import Requirements
import ServiceKit
import Testing

@Suite("Free text within quotation marks")
struct QuotableTests {
  @Test("no quotation mark ends a quotation, and apostrophes stay", .tags(.NTF_3))
  func marks() {
    #expect("a” «b» \"c\" „d‟ ＂e".quotable == "a' 'b' 'c' 'd' 'e")
    #expect("Giro dell'Adda, l’ultimo".quotable == "Giro dell'Adda, l’ultimo")
  }
}
