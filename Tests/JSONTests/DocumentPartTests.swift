import JSON
import Testing

@Suite("Parts of documents")
struct DocumentPartTests {
  private struct Size: Sendable, Equatable {
    let width: Int
    let height: Int

    private init(width: Int, height: Int) throws(JSONError) {
      guard width >= height else { throw .refused("Turn it.", field: "height") }
      self.width = width
      self.height = height
    }

    static let document = JSONDocument(
      .required("width", .whole), .required("height", .whole), .refused("depth", "It is flat."),
      make: { (width, height, _) throws(JSONError) in try Size(width: width, height: height) })
  }

  private struct Frame: JSONDocumented, Equatable {
    let label: String
    let size: Size
    let note: String?

    static let document = JSONDocument(
      .required("label", .string()), .part(Size.document), .optional("note", .string()),
      make: Frame.init)
  }

  private static func path(of text: String) -> String? {
    do throws(JSONError) {
      _ = try JSONReader.read([Frame].self, from: Array(text.utf8))
      return nil
    } catch {
      return error.path
    }
  }

  @Test("the schema has the fields of a part in the place of the part")
  func schema() {
    #expect(Frame.document.properties.map(\.name) == ["label", "width", "height", "note"])
  }

  @Test("a part is read from the same object")
  func content() throws {
    let text = #"{"height":2,"label":"A","width":3}"#
    let frame = try JSONReader.read(Frame.self, from: Array(text.utf8))
    #expect((frame.size.width, frame.size.height) == (3, 2))
  }

  @Test(
    "a refusal names the field of the part in its object",
    arguments: [
      (#"[{"label":"A","width":1}]"#, "[0].height"),
      (#"[{"label":"A","width":1,"height":2}]"#, "[0].height"),
      (#"[{"label":"A","width":2,"height":"x"}]"#, "[0].height"),
      (#"[{"label":"A","width":2,"height":1,"depth":1}]"#, "[0].depth"),
      (#"[{"width":2,"height":1}]"#, "[0].label"),
    ])
  func refusals(_ text: String, _ path: String) {
    #expect(Self.path(of: text) == path)
  }
}

extension JSONForm<Int> {
  fileprivate static var whole: Self { Self(.integer()) }
}
