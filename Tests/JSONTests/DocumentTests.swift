import JSON
import Testing

@Suite("Documents described once")
struct DocumentTests {
  private struct Parcel: JSONDocumented, Equatable {
    let label: String
    let isFragile: Bool
    let note: String?

    static let document = JSONDocument(
      .required("label", .string(lengthMax: 10), "The label."),
      .optional("fragile", .boolean, else: true), .optional("note", .string(lengthMin: 0)),
      make: Parcel.init)
  }

  private static func read(_ text: String) throws(JSONError) -> Parcel {
    try JSONReader.read(Parcel.self, from: Array(text.utf8))
  }

  private static func refusal(of text: String) -> JSONError? {
    do throws(JSONError) {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test("the schema has the fields in their order")
  func schema() {
    let schema = JSONSchema.object([
      .required("label", .string(lengthMax: 10), "The label."),
      .optional("fragile", .boolean), .optional("note", .string(lengthMin: 0)),
    ])
    #expect(Parcel.document.schema == schema)
  }

  @Test("fields are read in any order, absent and unknown ones included")
  func fields() throws {
    let whole = try Self.read(#"{"note":"","fragile":false,"more":[{"label":1}],"label":"A"}"#)
    #expect(whole == Parcel(label: "A", isFragile: false, note: ""))
    let least = try Self.read(#"{"label":"B"}"#)
    #expect(least == Parcel(label: "B", isFragile: true, note: nil))
  }

  @Test(
    "a refusal names the field",
    arguments: [
      (#"{"note":"x"}"#, "label"), (#"{"label":"A","fragile":null}"#, "fragile"),
      (#"{"label":"A","note":[]}"#, "note"), (#"{"label":7}"#, "label"),
    ])
  func refusals(_ text: String, _ field: String) {
    #expect(Self.refusal(of: text)?.path == field)
  }

  private struct Interval: JSONDocumented {
    let first: Double
    let last: Double

    init(first: Double, last: Double) throws(JSONError) {
      guard first <= last else { throw .refused("Give a later end.", field: "last") }
      guard first >= 0 else { throw .refused("Give an interval from 0.") }
      self.first = first
      self.last = last
    }

    static let number = JSONForm<Double>(.number())
    static let document = JSONDocument(
      .required("first", number), .required("last", number), make: Interval.init)
  }

  private struct Plan: JSONDocumented {
    let intervals: [Interval]?

    static let document = JSONDocument(
      .optional("intervals", JSONForm<Interval>.document.list(countMax: 2)), make: Plan.init)
  }

  @Test(
    "a refusal by the initialiser is placed at its object, also in a list",
    arguments: [
      (#"{"intervals":[{"first":2,"last":1}]}"#, "intervals[0].last", 14),
      (#"{"intervals":[{"first":1,"last":1},{"last":2,"first":-1}]}"#, "intervals[1]", 35),
      (#"{"intervals":[{"first":1}]}"#, "intervals[0].last", 14),
    ])
  func initialiser(_ text: String, _ path: String, _ offset: Int) {
    let error = #expect(throws: JSONError.self) {
      _ = try JSONReader.read(Plan.self, from: Array(text.utf8))
    }
    #expect(error?.path == path)
    #expect(error?.offset == offset)
  }

  @Test("a field that occurs twice is refused")
  func duplicate() {
    #expect(Self.refusal(of: #"{"label":"A","label":"B"}"#) != nil)
  }
}
