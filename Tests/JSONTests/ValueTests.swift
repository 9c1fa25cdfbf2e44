import JSON
import Requirements
import Support
import Testing

@Suite("JSON reader: values")
struct ValueTests {
  func integer(_ text: String) throws -> Int {
    try JSONReader.read(from: Array(text.utf8))
  }

  func double(_ text: String) throws -> Double {
    try JSONReader.read(from: Array(text.utf8))
  }

  func string(_ text: String) throws -> String {
    try JSONReader.read(from: Array(text.utf8))
  }

  @Test("whole numbers are read exactly over all 64 bits")
  func integers() throws {
    for value in [0, 1, -1, 42, 1 << 53, 1 << 53 + 1, Int.max, Int.min, Int.max - 1, Int.min + 1] {
      #expect(try integer("\(value)") == value)
    }
    #expect(try integer("-0") == 0)
    #expect(try integer("5.0") == 5)
    #expect(try integer("5e2") == 500)
    #expect(try integer("-2500e-2") == -25)
    #expect(try integer("9007199254740992.0") == 1 << 53)
  }

  @Test(
    "whole numbers beyond 64 bits, and numbers with a fraction, are refused",
    arguments: [
      ("9223372036854775808", JSONError.Reason.integerOutOfRange),
      ("-9223372036854775809", .integerOutOfRange), ("1e300", .integerOutOfRange),
      ("9007199254740994.0", .integerOutOfRange), ("99999999999999999999999", .integerOutOfRange),
      ("0.5", .mistyped(expected: "a whole number")),
      ("1e-1", .mistyped(expected: "a whole number")),
      ("\"5\"", .mistyped(expected: "a whole number")), ("1e999", .numberOutOfRange),
    ])
  func integersRefused(_ text: String, _ reason: JSONError.Reason) {
    #expect(throws: JSONError(reason, offset: 0, path: "")) { try integer(text) }
  }

  @Test("numbers are rounded to the nearest, as in the standard library")
  func doubles() throws {
    let texts = [
      "0", "-0", "0.1", "1e22", "1e23", "123456789012345678", "9007199254740993", "5e-324",
      "2.2250738585072011e-308", "1.7976931348623157e308", "1e-999", "0e999", "0.000001",
      "6.02214076e23", "1.00000000000000011102230246251565404236316680908203125",
      "7205759403792793199999e-5", "0." + String(repeating: "0", count: 300) + "1",
      "1" + String(repeating: "0", count: 308), "8.41e+21", "9.5e-22",
    ]
    for text in texts {
      #expect(try double(text).bitPattern == Double(text)?.bitPattern, "\(text)")
    }
    var random = SeededRandom()
    let seed = random.seed
    for _ in 0..<20_000 {
      let digits = random.next() >> UInt64.random(in: 0..<64, using: &random)
      let exponent = Int.random(in: -340...280, using: &random)
      let text = "\(digits)e\(exponent)"
      let value = try double(text)
      #expect(value.bitPattern == Double(text)?.bitPattern, "seed \(seed): \(text)")
    }
  }

  @Test("escapes and characters beyond ASCII are decoded")
  func strings() throws {
    #expect(try string(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{C}\n\r\t")
    #expect(try string(#""\u0041\u00e9\u20AC\uD83D\uDE00""#) == "Aé€😀")
    #expect(try string("\"città 😀\"") == "città 😀")
    #expect(try string("\"\"") == "")
    for count in 0...40 {
      let text = String(repeating: "x", count: count)
      #expect(try string("\"\(text)\"") == text)
      #expect(try string("\"\(text)\\n\(text)\"") == "\(text)\n\(text)")
      #expect(try string("\"\(text)è\(text)\"") == "\(text)è\(text)")
    }
  }

  @Test("strings and numbers are passed as bytes without a String")
  func bytes() throws {
    var reader = JSONReader(Array(#"["72",72.50,"a\nb",true]"#.utf8))
    var found: [String] = []
    try reader.beginArray()
    for _ in 0..<3 {
      _ = try reader.nextElement()
      found.append(
        try reader.scalarBytes { kind, bytes in
          "\(kind) " + String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        })
    }
    #expect(found == ["string 72", "number 72.50", "string a\nb"])
    _ = try reader.nextElement()
    #expect(throws: JSONError(.mistyped(expected: "a string or a number"), offset: 19, path: "[3]"))
    {
      _ = try reader.scalarBytes { _, _ in 0 }
    }
    var text = JSONReader(Array("\"abc\"".utf8))
    #expect(try text.stringBytes { $0.count } == 3)
  }

  @Test("a value may be a string or a number, or null")
  func mixed() throws {
    let values: [JSONScalar?] = try JSONReader.read(from: Array(#"["72",72,null]"#.utf8))
    #expect(values == [.string("72"), .number(72), nil])
    #expect(throws: JSONError(.mistyped(expected: "a string or a number"), offset: 0, path: "")) {
      _ = try JSONReader.read(JSONScalar.self, from: Array("true".utf8))
    }
  }

  @Test("names are compared byte by byte, not by canonical equivalence")
  func keys() throws {
    var reader = JSONReader(Array("{\"\u{212A}\":1,\"\u{4B}\":2}".utf8))
    try reader.beginObject()
    let kelvin = try #require(try reader.nextField())
    let letter = try #require(try reader.nextField())
    #expect(kelvin.text == letter.text)
    #expect(kelvin != letter)
    #expect(!(kelvin == "K") && letter == "K")
    switch kelvin {
    case "K": Issue.record("the Kelvin sign matched the letter K")
    default: break
    }
    #expect(try reader.nextField() == nil)
    try reader.finish()
  }

  @Test("a text inside a larger buffer is read with its own offsets")
  func range() throws {
    let buffer = Array("garbage[1,2]garbage".utf8)
    var reader = JSONReader(buffer, in: 7..<12)
    #expect(try reader.list(of: Int.self) == [1, 2])
    try reader.finish()
    var other = JSONReader(buffer, in: 7..<13)
    _ = try other.skip()
    #expect(throws: JSONError(.textAfterDocument, offset: 5, path: "")) { try other.finish() }
  }

  @Test("skipping returns the range of the value")
  func skip() throws {
    var reader = JSONReader(Array(#" {"a":[1]} "#.utf8))
    #expect(try reader.skip() == 1..<10)
    try reader.finish()
  }
}
