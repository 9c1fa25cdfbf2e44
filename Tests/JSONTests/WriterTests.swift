import JSON
import Requirements
import Support
import Testing

func written(_ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite("JSON writer")
struct WriterTests {
  @Test("objects, arrays, fields and fragments are separated by commas only")
  func structure() {
    let text = written {
      $0.object {
        $0.field("message", "ok")
        $0.array("items") {
          $0.value(1)
          $0.object { $0.field("deep", true) }
          $0.array { _ in }
          $0.object { _ in }
          $0.null()
        }
        $0.object("empty") { _ in }
        $0.raw("raw", Array("[1]".utf8))
        $0.field("list", ["a", "b"])
        $0.field("none", String?.none)
        $0.fieldIfPresent("absent", Int?.none)
        $0.fieldIfPresent("present", Int?.some(3))
        $0.null("null")
      }
    }
    #expect(
      text == #"{"message":"ok","items":[1,{"deep":true},[],{},null],"empty":{},"raw":[1],"#
        + #""list":["a","b"],"none":null,"present":3,"null":null}"#)
  }

  @Test("quotes, backslashes and control characters are escaped, in names too")
  func escaping() {
    let text = written {
      $0.object { $0.field("a\"b", "\\\u{8}\u{9}\n\u{C}\r\u{1}\u{1F}\u{7F}/è😀") }
    }
    #expect(text == #"{"a\"b":"\\\b\t\n\f\r\u0001\u001f"# + "\u{7F}/è😀\"}")
    for value in UInt8(0)..<0x20 {
      let text = written { $0.value(String(UnicodeScalar(value))) }
      if value > 0 {
        #expect((try? JSONReader.read(String.self, from: Array(text.utf8)))?.utf8.first == value)
      }
    }
  }

  @Test("whole numbers are written in full")
  func integers() {
    for value in [0, 7, -7, 10, 1_234_567_890, Int.max, Int.min] {
      #expect(written { $0.value(value) } == "\(value)")
    }
    #expect(written { $0.value(UInt64.max) } == "18446744073709551615")
    #expect(written { $0.value(Int64(-5)) } == "-5")
    #expect(written { $0.value(Int32(5)) } == "5")
  }

  @Test("numbers are written as the shortest text that parses equal, non-finite ones as null")
  func doubles() throws {
    #expect(written { $0.value(72.0) } == "72")
    #expect(written { $0.value(0.1) } == "0.1")
    #expect(written { $0.value(-0.0) } == "-0.0")
    #expect(written { $0.value(Double.nan) } == "null")
    #expect(written { $0.value(-Double.infinity) } == "null")
    #expect(written { $0.value(0x1p53) } == "9007199254740992")
    var random = SeededRandom()
    let seed = random.seed
    for _ in 0..<5000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let again = try JSONReader.read(
        Double.self, from: Array(written { $0.value(value) }.utf8))
      #expect(again.bitPattern == value.bitPattern, "seed \(seed): \(value)")
    }
  }

  @Test("a text is appended to the contents of the buffer")
  func appending() {
    var writer = JSONWriter(appendingTo: Array("data: ".utf8))
    writer.array { $0.value(1) }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "data: [1]")
  }

  @Test("an error of the caller is rethrown")
  func throwing() {
    struct Stop: Error {}
    var writer = JSONWriter()
    #expect(throws: Stop.self) {
      try writer.object { _ throws(Stop) in throw Stop() }
    }
  }
}
