import Bytes
import Cryptography
import Requirements
import Support
import Testing

private let place = SealContext(table: "accounts", column: "email", row: SealRow(42))
private let plaintext = Array("someone@example.org".utf8)

@Test("a sealed value opens again and does not show its plaintext", .tags(.NFR_5))
func sealedValueOpens() throws {
  let key = SealingKey(.random())
  let sealed = key.seal(plaintext.span, for: place)
  #expect(sealed.count == plaintext.count + SealingKey.overheadBytes)
  #expect(!sealed.contains(plaintext))
  #expect(try key.open(sealed.span, for: place) == plaintext)
  #expect(try key.openText(sealed.span, for: place) == "someone@example.org")
}

@Test("an empty value is sealed and opened", .tags(.NFR_5))
func emptyValueOpens() throws {
  let key = SealingKey(.random())
  let sealed = key.seal(Span(), for: place)
  #expect(sealed.count == 28)
  #expect(try key.open(sealed.span, for: place) == [])
  #expect(throws: CryptographyError.sealedValueRefused) {
    try key.open(
      key.seal(Span(), for: SealContext(table: "a", column: "b", row: SealRow(1))).span,
      for: place)
  }
}

@Test("the same value sealed twice looks different", .tags(.NFR_5))
func sealingTwiceDiffers() {
  let key = SealingKey(.random())
  #expect(key.seal(plaintext.span, for: place) != key.seal(plaintext.span, for: place))
}

@Test("a sealed value with any bit changed is rejected", .tags(.NFR_5))
func changedValueIsRefused() throws {
  let key = SealingKey(.random())
  let sealed = key.seal(plaintext.span, for: place)
  for bit in 0..<sealed.count * 8 {
    var changed = sealed
    changed[bit / 8] ^= 1 << (bit % 8)
    var output: [UInt8] = [1, 2]
    #expect(throws: CryptographyError.sealedValueRefused) {
      try key.open(changed.span, for: place, into: &output)
    }
    #expect(output == [1, 2])
  }
  #expect(try key.open(sealed.span, for: place) == plaintext)
}

@Test("a sealed value truncated at any length is rejected", .tags(.NFR_5))
func truncatedValueIsRefused() {
  let key = SealingKey(.random())
  let sealed = key.seal(plaintext.span, for: place)
  for count in sealed.indices {
    let expected: CryptographyError = count < 28 ? .sealedValueTruncated : .sealedValueRefused
    #expect(throws: expected) {
      try key.open(sealed.span.extracting(first: count), for: place)
    }
  }
  #expect(throws: CryptographyError.sealedValueRefused) {
    try key.open((sealed + [0]).span, for: place)
  }
}

@Test("a sealed value is rejected under another account's key", .tags(.NFR_5))
func otherKeyIsRefused() {
  let sealed = SealingKey(.random()).seal(plaintext.span, for: place)
  #expect(throws: CryptographyError.sealedValueRefused) {
    try SealingKey(.random()).open(sealed.span, for: place)
  }
}

@Test("a sealed value is rejected in another table, column, row or block", .tags(.NFR_5))
func otherPlaceIsRefused() {
  let key = SealingKey(.random())
  let sealed = key.seal(plaintext.span, for: place)
  let others = [
    SealContext(table: "account", column: "email", row: SealRow(42)),
    SealContext(table: "accountse", column: "mail", row: SealRow(42)),
    SealContext(table: "accounts", column: "fullname", row: SealRow(42)),
    SealContext(table: "accounts", column: "email", row: SealRow(43)),
    SealContext(table: "accounts", column: "email", row: SealRow(-42)),
    SealContext(table: "accounts", column: "email", row: SealRow(42, 0)),
  ]
  for other in others {
    #expect(throws: CryptographyError.sealedValueRefused) { try key.open(sealed.span, for: other) }
  }
}

@Test("no two locations have the same encoding")
func encodingsAreUnambiguous() {
  let digest = BlindValue(digest: SHA256.digest(of: Span()))
  let contexts = [
    place, SealContext(table: "ab", column: "c", row: SealRow(1)),
    SealContext(table: "a", column: "bc", row: SealRow(1)),
    SealContext(table: "", column: "abc", row: SealRow(1)),
    SealContext(table: "a", column: "bc", row: SealRow(1, 0)),
    SealContext(table: "a", column: "bc", row: SealRow(0, 1)),
    SealContext(table: "a", column: "bc", row: SealRow(1, 2, 3, 4, 5, 6)),
    SealContext(table: "a", column: "bc", row: SealRow(6, 5, 4, 3, 2, 1)),
    SealContext(table: "a", column: "bc", row: SealRow(UniversalID(high: 1, low: 2))),
    SealContext(table: "a", column: "bc", row: SealRow(digest)),
  ]
  let encodings = contexts.map { $0.withEncoded { span in span.indices.map { span[$0] } } }
  #expect(Set(encodings).count == contexts.count)
}

@Test("names of 63 bytes and six keys fill the encoding and still work")
func longestPlaceWorks() throws {
  let longest = SealContext(
    table: "a23456789012345678901234567890123456789012345678901234567890123",
    column: "b23456789012345678901234567890123456789012345678901234567890123",
    row: SealRow(.min, .max, -1, 0, 1, 2))
  #expect(longest.withEncoded { $0.count } == SealContext.encodedBytesMax)
  let key = SealingKey(.random())
  let sealed = key.seal("text", for: longest)
  #expect(try key.openText(sealed.span, for: longest) == "text")
}

@Test("an opened text that is not UTF-8 is rejected")
func brokenTextIsRefused() {
  let key = SealingKey(.random())
  let sealed = key.seal([0xff, 0xfe].span, for: place)
  #expect(throws: CryptographyError.sealedValueRefused) {
    try key.openText(sealed.span, for: place)
  }
}

@Test("values of any length, sealed one after the other, open one after the other")
func randomValuesOpen() throws {
  var generator = SeededRandom()
  let key = SealingKey(.random())
  var all: [UInt8] = []
  var sealed: [UInt8] = []
  var ends = [0]
  for row in 0..<200 {
    let value = (0..<Int.random(in: 0...600, using: &generator)).map { _ in
      UInt8.random(in: .min ... .max, using: &generator)
    }
    all += value
    let context = SealContext(table: "chunks", column: "data", row: SealRow(7, Int64(row)))
    key.seal(value.span, for: context, into: &sealed)
    ends.append(sealed.count)
  }
  var opened: [UInt8] = []
  for row in 0..<200 {
    let context = SealContext(table: "chunks", column: "data", row: SealRow(7, Int64(row)))
    try key.open(sealed.span.extracting(ends[row]..<ends[row + 1]), for: context, into: &opened)
  }
  #expect(opened == all)
}

@Test("nonces and identifiers drawn by many tasks at once are never repeated")
func drawnBytesAreHandedOutOnce() async {
  let drawn = await withTaskGroup(of: [UniversalID].self) { group in
    for _ in 0..<8 { group.addTask { (0..<1_000).map { _ in UniversalID.random() } } }
    return await group.reduce(into: []) { $0 += $1 }
  }
  #expect(Set(drawn).count == 8_000)
}
