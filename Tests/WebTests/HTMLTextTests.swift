import Testing
import Web

@Suite("Text in HTML")
struct HTMLTextTests {
  @Test(
    "no text opens an element, ends an attribute, or is parsed as another character",
    arguments: [
      ("<script>", "&lt;script&gt;"), ("\" onload=\"x", "&quot; onload=&quot;x"),
      ("&lt;", "&amp;lt;"),
      // A browser sees the quotation mark even if a `Character` combines it with other scalars.
      ("\"\u{301} onload=\"\u{200D}x", "&quot;\u{301} onload=&quot;\u{200D}x"),
      ("<\u{338}>\u{20D2}&\u{FE0F}", "&lt;\u{338}&gt;\u{20D2}&amp;\u{FE0F}"),
      ("7.00 EUR, perché no", "7.00 EUR, perché no"), ("", ""),
    ])
  func escaping(_ text: String, _ escaped: String) {
    #expect(HTMLText.escaped(text) == escaped)
  }
}
