import HTTP
import Testing

@Suite("Text within HTML")
struct HTMLTextTests {
  @Test(
    "nothing in a text opens an element, ends an attribute, or is read as another character",
    arguments: [
      ("<script>", "&lt;script&gt;"), ("\" onload=\"x", "&quot; onload=&quot;x"),
      ("&lt;", "&amp;lt;"),
      // What a Character joins to a mark is to a browser still the mark.
      ("\"\u{301} onload=\"\u{200D}x", "&quot;\u{301} onload=&quot;\u{200D}x"),
      ("<\u{338}>\u{20D2}&\u{FE0F}", "&lt;\u{338}&gt;\u{20D2}&amp;\u{FE0F}"),
      ("7.00 EUR, perché no", "7.00 EUR, perché no"), ("", ""),
    ])
  func escaping(_ text: String, _ escaped: String) {
    #expect(HTMLText.escaped(text) == escaped)
  }
}
