import FuzzTargets
import JSON
import Requirements
import Testing

/// Reads a whole text as a tree and returns the error, or nil if it is accepted.
func refusal(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONError? {
  refusal(Array(text.utf8), limits: limits)
}

func refusal(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
  switch outcome({ () throws(JSONError) in
    try JSONReader.read(JSONTree.self, from: bytes, limits: limits)
  }) {
  case .success: nil
  case .failure(let error): error
  }
}

@Suite("JSON reader: refusals")
struct RefusalTests {
  struct Case: CustomTestStringConvertible {
    var text: String
    var reason: JSONError.Reason
    var offset: Int
    var path: String
    var testDescription: String { text }

    init(_ text: String, _ reason: JSONError.Reason, _ offset: Int, _ path: String) {
      (self.text, self.reason, self.offset, self.path) = (text, reason, offset, path)
    }
  }

  static let cases: [Case] = [
    Case("", .endsTooEarly, 0, ""),
    Case(#"{"a":[1,{"b":"#, .endsTooEarly, 13, "a[1].b"),
    Case(#"{"a":"xyz"#, .endsTooEarly, 9, "a"),
    Case("{} x", .textAfterDocument, 3, ""),
    Case("\u{FEFF}{}", .byteOrderMark, 0, ""),
    Case(#"{"a":x}"#, .unexpected(expected: "a value"), 5, "a"),
    Case("[1 2]", .unexpected(expected: "a comma or a ]"), 3, "[0]"),
    Case(#"{"a":1 "b":2}"#, .unexpected(expected: "a comma or a }"), 7, "a"),
    Case(#"{"a" 1}"#, .unexpected(expected: "a colon"), 5, "a"),
    Case("{a:1}", .unexpected(expected: "a field name in double quotes"), 1, ""),
    Case("[nul]", .unexpected(expected: "null"), 1, "[0]"),
    Case(#"{"a":1,"b":{"c":1,"c":2}}"#, .duplicateName, 18, "b.c"),
    Case(#"{"a":1,"\u0061":2}"#, .duplicateName, 7, #"\u0061"#),
    Case(#"{"v":["ok","\uD800"]}"#, .loneSurrogate, 12, "v[1]"),
    Case(#"["\uDC00"]"#, .loneSurrogate, 2, "[0]"),
    Case(#"["\u0000"]"#, .nulCharacter, 2, "[0]"),
    Case("[\"a\u{0}\"]", .nulCharacter, 3, "[0]"),
    Case("[1,\u{0}]", .nulCharacter, 3, "[1]"),
    Case("[\"a\u{1F}\"]", .controlCharacter, 3, "[0]"),
    Case(#"{"a":"\x"}"#, .badEscape, 6, "a"),
    Case(#"{"a":"\u12G4"}"#, .badEscape, 6, "a"),
    Case(#"{"a":01}"#, .malformedNumber, 5, "a"),
    Case(#"{"a":-}"#, .malformedNumber, 5, "a"),
    Case(#"{"a":+1}"#, .malformedNumber, 5, "a"),
    Case(#"{"a":1.}"#, .malformedNumber, 5, "a"),
    Case(#"{"a":1e}"#, .malformedNumber, 5, "a"),
    Case(#"{"values":[1,2,1e999]}"#, .numberOutOfRange, 15, "values[2]"),
    Case(#"{"values":[-1e309]}"#, .numberOutOfRange, 11, "values[0]"),
  ]

  @Test("each fault is refused with its reason, byte and field", arguments: cases)
  func refused(_ expected: Case) {
    let error = refusal(expected.text)
    #expect(error == JSONError(expected.reason, offset: expected.offset, path: expected.path))
    #expect(error?.isUnreadable == true)
  }

  @Test("bytes that are not UTF-8 are refused at the first of them")
  func brokenUTF8() {
    let head = Array(#"{"name":"citt"#.utf8)
    let tail = Array(#""}"#.utf8)
    for broken: [UInt8] in [
      [0xE0], [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF],
    ] {
      let error = refusal(head + broken + tail)
      #expect(error == JSONError(.brokenUTF8, offset: 13, path: "name"), "\(broken)")
    }
    for scalar in [
      "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}",
    ] {
      #expect(refusal(head + Array(scalar.utf8) + tail) == nil)
    }
  }

  @Test("a duplicate name is detected among few and among many, escaped or not")
  func duplicates() {
    for count in [1, 2, 15, 16, 17, 18, 100, 5000] {
      let names = (0..<count).map { #""a rather long name \#($0)":\#($0)"# }
      let text = "{" + names.joined(separator: ",")
      #expect(refusal(text + "}") == nil)
      for index in Set([0, count / 2, count - 1]) {
        let again = refusal(text + #","a rather long nam\u0065 \#(index)":0}"#)
        #expect(again?.reason == .duplicateName)
        #expect(again?.path.hasSuffix(" \(index)") == true)
      }
    }
  }

  @Test("a skipped value is checked like one that is read")
  func skipped() {
    for text in [#"{"x":{"a":1,"a":2}}"#, #"{"x":[1e999]}"#, #"{"x":"\uD800"}"#, #"{"x":[1,]}"#] {
      let error = outcome { () throws(JSONError) in
        var reader = JSONReader(Array(text.utf8))
        try reader.beginObject()
        while try reader.nextField() != nil {}
        try reader.finish()
      }
      guard case .failure(let error) = error else {
        Issue.record("accepted \(text)")
        continue
      }
      #expect(error == refusal(text))
    }
  }

  @Test("the error for a mistyped value names the expected kind and the field")
  func mistyped() {
    func path(_ text: String) -> JSONError? {
      if case .failure(let error) = outcome({ () throws(JSONError) in
        try JSONReader.read(Login.self, from: Array(text.utf8))
      }) {
        return error
      }
      return nil
    }
    #expect(
      path(#"{"email":5}"#) == JSONError(.mistyped(expected: "a string"), offset: 9, path: "email"))
    #expect(path(#"{"email":null}"#)?.sentence == "Give a string here.")
    #expect(
      path(#"{"codes":[1,2.5]}"#)
        == JSONError(.mistyped(expected: "a whole number"), offset: 12, path: "codes[1]"))
    #expect(path(#"{"replace":true}"#) == JSONError(.missing, offset: 0, path: "email"))
    #expect(path("[]") == JSONError(.mistyped(expected: "an object"), offset: 0, path: ""))
    #expect(
      path(#"{"codes":[1,2,3,4]}"#) == JSONError(.tooMany(max: 3), offset: 16, path: "codes[3]"))
    #expect(path(#"{"email":"e","codes":[1,2,3]}"#) == nil)
  }

  @Test("a refusal of the value read last names its field")
  func refused() throws {
    var reader = JSONReader(Array(#"{"a":[{"at":"yesterday"}]}"#.utf8))
    try reader.beginObject()
    _ = try reader.nextField()
    try reader.beginArray()
    _ = try reader.nextElement()
    try reader.beginObject()
    _ = try reader.nextField()
    _ = try reader.string()
    let error = reader.refusal("Give a time.")
    #expect(error == JSONError(.refused(sentence: "Give a time."), offset: 12, path: "a[0].at"))
    #expect(error.description == "Give a time. (at byte 12)")
    #expect(reader.missing("b").path == "a[0].at.b")
  }

  @Test("a path truncates long names and replaces unprintable characters")
  func names() {
    let long = String(repeating: "n", count: 65)
    #expect(refusal(#"{"\#(long)":x}"#)?.path == String(repeating: "n", count: 64) + "…")
    #expect(refusal("{\"a\u{85}\":x}")?.path == "a\u{FFFD}")
  }
}

@Suite("JSON reader: limits")
struct LimitTests {
  @Test("nesting of 32 is accepted, 33 refused")
  func depth() {
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"a":["#, count: depth / 2) + String(repeating: "[", count: depth % 2)
        + String(repeating: "]", count: depth % 2) + String(repeating: "]}", count: depth / 2)
    }
    #expect(refusal(nested(32)) == nil)
    #expect(refusal(nested(33))?.reason == .tooDeep(max: 32))
    let hostile = refusal(String(repeating: "[", count: 1_000_000))
    #expect(hostile?.reason == .tooDeep(max: 32))
    #expect(hostile?.offset == 32)
  }

  @Test("a string of the limit's length is accepted, one byte more refused")
  func string() {
    let limits = JSONLimits(stringBytesMax: 10)
    #expect(refusal(#"{"1234567890":"1234567890"}"#, limits: limits) == nil)
    #expect(
      refusal(#"["12345678901"]"#, limits: limits)
        == JSONError(.stringTooLong(bytesMax: 10), offset: 1, path: "[0]"))
    #expect(refusal(#"{"12345678901":1}"#, limits: limits)?.reason == .stringTooLong(bytesMax: 10))
  }

  @Test("a text of the limit's length is accepted, one byte more refused")
  func document() {
    let limits = JSONLimits(bytesMax: 8)
    #expect(refusal("[1,2,34]", limits: limits) == nil)
    #expect(refusal("[1,2,345]", limits: limits)?.reason == .documentTooLong(bytesMax: 8))
  }

  @Test("a number of the limit's length is accepted, one byte more refused")
  func number() {
    #expect(refusal("0." + String(repeating: "1", count: 398)) == nil)
    let error = refusal("0." + String(repeating: "1", count: 399))
    #expect(error?.reason == .numberTooLong(bytesMax: 400))
  }

  @Test("an array of countMax elements is accepted, one more is refused, also for countMax 0")
  func elements() throws {
    let text = Array("[1,2,3]".utf8)
    var three = JSONReader(text)
    #expect(try three.list(of: Int.self, countMax: 3) == [1, 2, 3])
    var two = JSONReader(text)
    #expect(throws: JSONError(.tooMany(max: 2), offset: 5, path: "[2]")) {
      _ = try two.list(of: Int.self, countMax: 2)
    }
    var none = JSONReader(Array("[]".utf8))
    #expect(try none.list(of: Int.self, countMax: 0) == [])
  }
}
