import HTTP
import Operations
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

@Suite("The trace of a request is taken out of its fields", .tags(.OPS_8))
struct TakenTraceTests {
  private static let first = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  private static let second = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

  /// Fields with these values of `traceparent` at one place, and the others.
  private func fields(_ traces: [String], at place: Int) -> HTTPFields {
    var all = [("accept", "*/*"), ("x-unknown", "1"), ("host", "")]
    all.insert(contentsOf: traces.map { ("traceparent", $0) }, at: place)
    var fields = HTTPFields()
    for (name, value) in all { fields.append(name, value) }
    return fields
  }

  @Test("from any place, and heads that differ in it alone are identical then")
  func places() {
    for place in 0...3 {
      var one = fields([Self.first], at: place)
      var other = fields([Self.second], at: place)
      let trace = one.takeTrace()
      #expect(trace?.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
      #expect(other.takeTrace() != trace)
      #expect(one.isIdentical(to: other))
      #expect(one == fields([], at: 0))
      one.append("x-last", "2")
      #expect(one["x-last"] == "2" && one["x-unknown"] == "1")
    }
  }

  @Test("a malformed one, and more than one, are none")
  func others() {
    for traces in [[], ["00-x"], [Self.first, Self.second], [Self.first, Self.first]] {
      var fields = fields(traces, at: 1)
      #expect(fields.takeTrace() == nil)
      #expect(fields == self.fields([], at: 0))
    }
  }
}
