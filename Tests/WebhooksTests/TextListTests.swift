import Requirements
import Testing
import Webhooks

@Suite("Lists of lines for libcurl")
struct TextListTests {
  private static let lines = ["expect:", "webhook-id: msg_1", "webhook-signature: v1,abc"]

  @Test("a list has all its lines in order, and an empty one has none")
  func whole() throws {
    #expect(try #require(TextList(Self.lines)).lines == Self.lines)
    #expect(try #require(TextList([])).lines.isEmpty)
  }

  @Test(
    "without memory for a line there is no list, rather than one without a signature",
    .tags(.REQ_2), arguments: lines)
  func noMemory(_ missing: String) {
    let list = TextList(Self.lines) { $0 != missing }
    #expect(list?.lines == nil)
  }
}
