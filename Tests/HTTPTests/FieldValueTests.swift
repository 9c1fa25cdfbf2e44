import HTTP
import Requirements
import Testing

@Suite("Values of fields", .tags(.GW_4))
struct FieldValueTests {
  /// Lengths on both sides of the eight and sixteen bytes that are checked at once.
  private static let lengths = 1...40

  @Test(
    "a control character anywhere in a value becomes a space",
    arguments: [0x00, 0x01, 0x0A, 0x0D, 0x1F, 0x7F] as [UInt8])
  func controls(byte: UInt8) {
    Self.atEachPlace(byte) { fields, value in
      let replaced = value.map { $0 == byte ? UInt8(ascii: " ") : $0 }
      #expect(fields[.accept] == String(decoding: replaced, as: UTF8.self))
    }
  }

  @Test(
    "tabs, spaces, visible characters and bytes over 127 stay anywhere in a value",
    arguments: [0x09, 0x20, 0x21, 0x7E, 0x80, 0x9F, 0xA0, 0xFF] as [UInt8])
  func allowed(byte: UInt8) {
    Self.atEachPlace(byte) { fields, value in
      let isKept = fields.withValue(.accept) { $0.equals(value) }
      #expect(isKept == true)
    }
  }

  /// Fields with a value of each length that has the byte at each place among letters, and that
  /// value.
  private static func atEachPlace(_ byte: UInt8, _ body: (HTTPFields, [UInt8]) -> Void) {
    for length in lengths {
      for place in 0..<length {
        var value = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        value[place] = byte
        var fields = HTTPFields()
        fields.append(.accept, copying: value.span)
        body(fields, value)
      }
    }
  }
}

@Suite("Fields that are removed with their bytes")
struct FieldRemovalTests {
  @Test("the only field of a name is removed from any place, and the others stay as they are")
  func places() {
    for place in 0...3 {
      for value in ["", "00-a-b-01"] {
        var rest = [("accept", "*/*"), ("x-unknown", "1"), ("host", "")]
        var expected = HTTPFields()
        for (name, value) in rest { expected.append(name, value) }
        rest.insert(("traceparent", value), at: place)
        var fields = HTTPFields()
        for (name, value) in rest { fields.append(name, value) }
        #expect(fields.removeOnly(.traceParent) == Array(value.utf8))
        #expect(fields.isIdentical(to: expected))
        fields.append("x-last", "2")
        expected.append("x-last", "2")
        #expect(fields == expected)
      }
    }
  }

  @Test("a missing field, and one of several of its name, stay")
  func others() {
    var fields = HTTPFields()
    fields.append(.host, "a")
    let none = fields
    #expect(fields.removeOnly(.traceParent) == nil)
    #expect(fields.isIdentical(to: none))
    for value in ["1", "2"] { fields.append(.traceParent, value) }
    let twice = fields
    #expect(fields.removeOnly(.traceParent) == nil)
    #expect(fields.isIdentical(to: twice))
  }
}
