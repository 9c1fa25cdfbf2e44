import Bytes
import Cryptography
import Testing

@Test("an identifier is parsed in either case and printed in lower case")
func identifierReadsAndPrints() throws {
  let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
  let identifier = try #require(UniversalID(text))
  #expect(identifier.high == 0xf81d_4fae_7dec_11d0)
  #expect(identifier.low == 0xa765_00a0_c91e_6bf6)
  #expect(identifier.description == text)
  #expect(UniversalID(text.uppercased()) == identifier)
  #expect(UniversalID(bytes: identifier.bytes.span) == identifier)
  #expect(UniversalID(bytes: identifier.bytes.span.extracting(first: 15)) == nil)
}

@Test(
  "any other form than 36 characters is rejected",
  arguments: [
    "", "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a765-00a0c91e6bf60",
    "{81d4fae-7dec-11d0-a765-00a0c91e6bf}", "f81d4fae7-dec-11d0-a765-00a0c91e6bf6",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4faea7deca11d0aa765a00a0c91e6bf6",
    "f81d4fae-7dec-11d0-a765-00a0c91e6b\u{0}6", "f81d4fae7dec11d0a76500a0c91e6bf6",
    "f81d4fae-7dec-11d0-a765--0a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6b€",
  ])
func oddIdentifiersAreRefused(_ text: String) {
  #expect(UniversalID(text) == nil)
}

@Test("random identifiers have version 4 and the variant of RFC 9562")
func randomIdentifiersAreOfVersion4() {
  for _ in 0..<200 {
    let identifier = UniversalID.random()
    #expect(identifier.high >> 12 & 0xf == 4)
    #expect(identifier.low >> 62 == 0b10)
    #expect(UniversalID(identifier.description) == identifier)
  }
}

@Test("ordered identifiers have version 7, contain their time and sort by it")
func orderedIdentifiersAreOfVersion7() {
  // The time of RFC 9562, A.6: 2022-02-22 19:22:22 UTC.
  let identifier = UniversalID.ordered(millisecondsSince1970: 0x017f_22e2_79b0)
  #expect(identifier.description.hasPrefix("017f22e2-79b0-7"))
  #expect(identifier.low >> 62 == 0b10)
  let later = UniversalID.ordered(millisecondsSince1970: 0x017f_22e2_79b1)
  #expect(identifier.description < later.description)
}
