import Testing

@Suite("code mask")
struct CodeMaskTests {
  @Test(
    "comments and strings are blanked, code and line breaks stay",
    arguments: [
      ("a // b\nc", "a     \nc"),
      ("a /* b /* c */ d */ e", "a                   e"),
      ("f(\"a\\\"b\")", "f(\"    \")"),
      ("\"a\\(b(\"c\"))d\"", "\"  (b(\" \")) \""),
      ("#\"a\"b\\(c)\"#", "#\"       \"#"),
      ("a.f(/\"b\\/c/) / d", "a.f(/     /) / d"),
      ("\"\"\"\n a \"b\"\n \"\"\" c", "\"\"\"\n      \n \"\"\" c"),
    ])
  func masked(_ text: String, _ expected: String) {
    #expect(CodeMask.masked(text) == expected)
  }
}
