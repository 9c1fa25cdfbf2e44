import Operations
import Requirements
import Testing

@Suite("FNV-1a")
struct FNV1aTests {
  @Test(
    "hashes are those of the authors' test vectors",
    arguments: [
      ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c),
      ("foobar", 0x8594_4171_f739_67e8),
    ] as [(String, UInt64)])
  func vectors(_ text: String, _ hash: UInt64) {
    #expect(FNV1a.hash(text) == hash)
    #expect(FNV1a.hash(Array(text.utf8).span) == hash)
  }
}
