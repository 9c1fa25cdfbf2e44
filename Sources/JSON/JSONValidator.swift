/// A schema compiled for checking texts: create it once, and use it for every request.
///
/// A check reads the text once with `JSONReader`, equally strictly, and builds no values. Errors
/// contain the path of the field and a sentence on what to change.
///
/// It is a class, because copies of the table's arrays would count references in each check.
package final class JSONValidator: Sendable {
  let table: SchemaTable

  /// Compiles a schema.
  package init(_ schema: JSONSchema) {
    table = SchemaTable(schema)
  }

  /// Checks the text in `bytes`, or in a range of it.
  package func validate(
    _ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) {
    _ = try run(JSONReader(bytes, in: range ?? bytes.indices, limits: limits), capturing: [])
  }

  /// Checks a text and extracts one string of its outermost object, used for `authToken`.
  ///
  /// Throws only for texts that cannot be parsed (`JSONError.isUnreadable`). A parsable text that
  /// does not fit is returned as `violation`, so that the token can be checked before the fields.
  package func check(
    _ bytes: [UInt8], in range: Range<Int>? = nil, capturing name: String,
    limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONCheck {
    try check(bytes, in: range, capturing: Array(name.utf8), limits: limits)
  }

  /// The same for a name in UTF-8, which costs no allocation.
  package func check(
    _ bytes: [UInt8], in range: Range<Int>? = nil, capturing name: [UInt8],
    limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONCheck {
    let range = range ?? bytes.indices
    do {
      let captured = try run(JSONReader(bytes, in: range, limits: limits), capturing: name)
      return JSONCheck(violation: nil, captured: captured)
    } catch {
      if error.isUnreadable { throw error }
      // Reads a refused text completely, because syntax errors take precedence over violations.
      var reader = JSONReader(bytes, in: range, limits: limits)
      let captured = try Self.capture(String(decoding: name, as: UTF8.self), from: &reader)
      try reader.finish()
      return JSONCheck(violation: error, captured: captured)
    }
  }

  private func run(
    _ reader: consuming JSONReader, capturing name: [UInt8]
  ) throws(JSONError) -> String? {
    var run = SchemaRun(self, reader: reader, capturedName: name)
    try run.check(table.root)
    try run.reader.finish()
    return run.captured
  }

  private static func capture(
    _ name: String, from reader: inout JSONReader
  ) throws(JSONError) -> String? {
    guard try reader.kind() == .object else {
      try reader.skip()
      return nil
    }
    var captured: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      if key == JSONKey(text: name), try reader.kind() == .string {
        captured = try reader.string()
      }
    }
    return captured
  }
}

/// The result of checking a parsable text.
package struct JSONCheck: Sendable, Equatable {
  /// Why the text does not fit the schema; nil if it does.
  package var violation: JSONError?
  /// The extracted string; nil if it is missing or not a string.
  package var captured: String?

  /// Creates a result from its parts.
  package init(violation: JSONError?, captured: String?) {
    self.violation = violation
    self.captured = captured
  }
}
