import Testing

@Suite("sendable rule")
struct SendableRuleTests {
  private func count(_ text: String) -> Int {
    SendableRule.findings(in: SourceFile(path: "Sources/HTTP/A.swift", text: text)).count
  }

  @Test("an unchecked promise without a reason is found")
  func found() {
    #expect(count("final class A: @unchecked Sendable {}") == 1)
    #expect(count("// why\n\nfinal class A: @unchecked Sendable {}") == 1)
    #expect(count("/// A box.\nfinal class A: @unchecked Sendable {}") == 1)
  }

  @Test("a comment above, also above attributes, or a doc comment with the reason is sufficient")
  func reason() {
    #expect(count("// touched on one loop only\nfinal class A: @unchecked Sendable {}") == 0)
    #expect(count("// why\n@frozen\nstruct A: @unchecked Sendable {}") == 0)
    #expect(count("/// Used on the loop's thread.\nclass A: @unchecked Sendable {}") == 0)
  }
}
