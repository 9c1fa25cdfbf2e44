import HTTP
import Testing

@Suite("Text within HTML")
struct HTMLTextTests {
  @Test(
    "nothing in a text opens an element, ends an attribute, or is read as another character",
    arguments: [
      ("<script>", "&lt;script&gt;"), ("\" onload=\"x", "&quot; onload=&quot;x"),
      ("&lt;", "&amp;lt;"), ("7.00 EUR, perché no", "7.00 EUR, perché no"), ("", ""),
    ])
  func escaping(_ text: String, _ escaped: String) {
    #expect(HTMLText.escaped(text) == escaped)
  }
}
