import JSON
import Requirements
import Testing

@Suite("JSON schema: published as JSON Schema 2020-12")
struct SchemaPublicationTests {
  func published(_ schema: JSONSchema) -> String {
    written { $0.value(schema) }
  }

  @Test("each kind of schema is written with its keywords")
  func keywords() {
    #expect(published(.any) == "{}")
    #expect(published(.text) == #"{"type":"string"}"#)
    #expect(published(.string()) == #"{"type":"string","maxLength":500}"#)
    #expect(
      published(.email) == #"{"type":"string","maxLength":254,"format":"email"}"#)
    #expect(published(.oneOf(["M", "F"])) == #"{"type":"string","enum":["M","F"]}"#)
    #expect(published(.integer(1...500)) == #"{"type":"integer","minimum":1,"maximum":500}"#)
    #expect(published(.number(0.5...2)) == #"{"type":"number","minimum":0.5,"maximum":2}"#)
    #expect(published(.boolean) == #"{"type":"boolean"}"#)
    #expect(published(.null) == #"{"type":"null"}"#)
    #expect(
      published(.array(of: .boolean, countMin: 1, countMax: 3))
        == #"{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":3}"#)
    #expect(
      published(.dictionary(of: .integer()))
        == #"{"type":"object","additionalProperties":{"type":"integer"}}"#)
    #expect(
      published(JSONSchema.boolean.described("On or off.").nullable)
        == #"{"anyOf":[{"type":"boolean","description":"On or off."},{"type":"null"}],"#
        + #""description":"On or off."}"#)
  }

  @Test("an object lists its properties, the mandatory ones, and their descriptions")
  func object() {
    let schema = JSONSchema.object([
      .required("name", JSONSchema.string().example("\"Anna\""), "The name."),
      .optional("age", .integer(minimum: 0)),
    ])
    #expect(
      published(schema)
        == #"{"type":"object","properties":{"name":{"type":"string","minLength":1,"#
        + #""maxLength":500,"description":"The name.","examples":["Anna"]},"#
        + #""age":{"type":"integer","minimum":0}},"required":["name"]}"#)
    #expect(published(.object([])) == #"{"type":"object","properties":{}}"#)
  }
}

@Suite("JSON schema: formats", .tags(.GW_2))
struct FormatTests {
  static let accepted: [(JSONFormat, [String])] = [
    (.date, ["2024-02-29", "2000-02-29", "1900-12-31", "0001-01-01"]),
    (
      .dateTime,
      [
        "2024-02-29T08:30:00Z", "2024-02-29t08:30:00z", "2024-02-29T08:30:00.123456789+01:00",
        "2016-12-31T23:59:60Z", "2024-02-29T08:30:00.5-12:30",
      ]
    ),
    (.email, ["a@b", "anna.è+x@example.org"]),
    (.uuid, ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"]),
    (.byte, ["", "QQ==", "QUI=", "QUJD", "+/+/"]),
  ]
  static let refused: [(JSONFormat, [String])] = [
    (
      .date,
      [
        "2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-01", "2024-01-00",
        "2024-01-32", "2024-1-01", "24-01-01", "2024/01/01", "2024-01-01 ", "", "٢٠٢٤-01-01",
      ]
    ),
    (
      .dateTime,
      [
        "2024-02-29T08:30:00", "2024-02-29 08:30:00Z", "2024-02-29T24:00:00Z",
        "2024-02-29T08:60:00Z", "2024-02-29T08:30:61Z", "2024-02-29T08:30:00.Z",
        "2024-02-29T08:30:00+0100", "2024-02-29T08:30:00+24:00", "2024-02-29T08:30:00+01:60",
        "2024-02-29T08:30Z", "2024-02-29T08:30:00Zx", "2024-02-30T08:30:00Z",
        "2024-02-29T08:30:00.1", "2024-02-29T08:30:00+01:0", "2024-02-29", "2024-02-29T08:30:00X",
      ]
    ),
    (.email, ["", "a", "@b", "a@", "a@b@c", "a b@c", "a\n@b", "a@b\u{7F}"]),
    (
      .uuid,
      [
        "", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a4560-42661417400",
      ]
    ),
    (.byte, ["Q", "QQ", "QQ=", "Q===", "=QQQ", "QQ=Q", "QQ_-", "QU I"]),
  ]

  @Test("texts of a format are accepted, others refused with a sentence on valid texts")
  func formats() throws {
    for (format, texts) in Self.accepted {
      for text in texts { #expect(violation(of: .string(format: format), by: quoted(text)) == nil) }
    }
    for (format, texts) in Self.refused {
      for text in texts {
        let error = try #require(
          violation(of: .string(format: format), by: quoted(text)), "\(format) \(text)")
        #expect(error.sentence.hasPrefix("Give a") || format == .byte)
        guard case .malformed = error.reason else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  func quoted(_ text: String) -> String { written { $0.value(text) } }
}
