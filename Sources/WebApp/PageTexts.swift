import JSON

/// The texts of a language, and those of single pages: a visit begins with the texts of its page,
/// which are a fifth of all.
///
/// A key is a text of a page if the code of the page contains it, or contains a beginning of it,
/// such as `granularity` of `granularity.day`, that is completed by a value.
struct PageTexts {
  private let texts: [(key: String, text: ArraySlice<UInt8>)]
  /// The indexes of texts, by key and by each beginning of a key that ends before a dot.
  private var indexesByKey: [String: Int] = [:]
  private var indexesByBeginning: [String: [Int]] = [:]

  /// Reads an object whose keys have dots.
  ///
  /// - Throws: an error of the JSON text.
  init(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes)
    var texts: [(key: String, text: ArraySlice<UInt8>)] = []
    try reader.beginObject()
    while let key = try reader.nextField() {
      texts.append((key.text, bytes[try reader.skip()]))
    }
    try reader.finish()
    self.texts = texts
    for (index, (key, _)) in texts.enumerated() {
      indexesByKey[key] = index
      for dot in key.indices where key[dot] == "." {
        indexesByBeginning[String(key[..<dot]), default: []].append(index)
      }
    }
  }

  /// The texts that the code with these literals may show, as JSON.
  func named(by literals: Set<ModuleSource.Literal>) -> [UInt8] {
    var found: Set<Int> = []
    for literal in literals {
      if literal.kind != .beginning, let index = indexesByKey[literal.text] {
        found.insert(index)
      }
      guard literal.kind != .other else { continue }
      let beginning = literal.text.hasSuffix(".") ? literal.text.dropLast() : literal.text[...]
      found.formUnion(indexesByBeginning[String(beginning)] ?? [])
    }
    var writer = JSONWriter()
    writer.object { writer in
      for index in found.sorted() { writer.raw(texts[index].key, texts[index].text) }
    }
    return writer.bytes
  }
}
