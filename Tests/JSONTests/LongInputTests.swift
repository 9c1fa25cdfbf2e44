import JSON
import Requirements
import Testing

// Inputs that are slow if any operation of the module takes quadratic time. The tests need no time
// limit: they would take minutes instead of milliseconds.
@Suite("JSON: long inputs")
struct LongInputTests {
  @Test("a body of 1 MiB of names in one object is read, and its duplicate last name detected")
  func names() {
    var text = "{"
    for index in 0..<90_000 { text += #""n\#(index)":1,"# }
    #expect(text.utf8.count < 1_048_570)
    #expect(refusal(text + #""n":1}"#) == nil)
    let error = refusal(text + #""n5":1}"#)
    #expect(error == JSONError(.duplicateName, offset: text.utf8.count, path: "n5"))
  }

  @Test("a body of 1 MiB of escapes, of characters beyond ASCII and of small objects is read")
  func bodies() {
    let escapes = String(repeating: #"\u00e8"#, count: 10_000)
    let characters = String(repeating: "è", count: 30_000)
    let objects = Array(repeating: #"{"coordinate":"45.4781,9.2273"}"#, count: 20_000)
    for text in [escapes, characters] {
      let strings = Array(repeating: "\"\(text)\"", count: 17).joined(separator: ",")
      #expect(refusal("[\(strings)]") == nil)
    }
    let path = JSONSchema.object([
      .required(
        "path", .array(of: .object([.required("coordinate", .string())]), countMax: 20_000))
    ])
    let body = #"{"path":["# + objects.joined(separator: ",") + "]}"
    #expect(violation(of: path, by: body) == nil)
  }

  @Test("10,000 written rows are read back")
  func rows() throws {
    var writer = JSONWriter()
    writer.object {
      $0.array("samples") {
        for index in 0..<10_000 {
          $0.object {
            $0.field("seq", index)
            $0.field("value", 72.5)
            $0.field("timestamp", "2024-02-29T08:30:00Z")
          }
        }
      }
    }
    var reader = JSONReader(writer.bytes)
    var total = 0
    try reader.beginObject()
    while try reader.nextField() != nil {
      try reader.beginArray()
      while try reader.nextElement() {
        try reader.beginObject()
        while let key = try reader.nextField() {
          if key == "seq" { total += try reader.integer() }
        }
      }
    }
    try reader.finish()
    #expect(total == 10_000 * 9_999 / 2)
  }
}
