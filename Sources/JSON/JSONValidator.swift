/// A schema made ready to check texts: make it once, use it for every request.
///
/// A check reads the text once with `JSONReader`, with all its strictness, and builds nothing.
/// Errors carry the path of the field and a sentence that says what to change.
package struct JSONValidator: Sendable {
  private let table: SchemaTable

  /// Prepares a schema.
  package init(_ schema: JSONSchema) {
    table = SchemaTable(schema)
  }

  /// Checks the text in `bytes`, or at `range` in it.
  package func validate(
    _ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) {
    _ = try run(JSONReader(bytes, in: range ?? bytes.indices, limits: limits), capturing: [])
  }

  /// Checks a text and picks one string of its outermost object out of it, for `authToken`.
  ///
  /// Throws only for what cannot be read at all (`JSONError.isUnreadable`); what can be read and
  /// does not fit comes back as `violation`, so that a token can be judged before the fields.
  package func check(
    _ bytes: [UInt8], in range: Range<Int>? = nil, capturing name: String,
    limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONCheck {
    let range = range ?? bytes.indices
    do {
      let captured = try run(
        JSONReader(bytes, in: range, limits: limits), capturing: Array(name.utf8))
      return JSONCheck(violation: nil, captured: captured)
    } catch {
      if error.isUnreadable { throw error }
      // A refused text is read to its end: what cannot be read comes before what does not fit.
      var reader = JSONReader(bytes, in: range, limits: limits)
      let captured = try Self.capture(name, from: &reader)
      try reader.finish()
      return JSONCheck(violation: error, captured: captured)
    }
  }

  private func run(
    _ reader: consuming JSONReader, capturing name: [UInt8]
  ) throws(JSONError) -> String? {
    var run = SchemaRun(table: table, reader: reader, capturedName: name)
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

/// What came of checking a text that could be read.
package struct JSONCheck: Sendable, Equatable {
  /// Why the text does not fit the schema; nil if it does.
  package var violation: JSONError?
  /// The string asked for; nil if it is not there or no string.
  package var captured: String?

  /// Makes an outcome of its parts.
  package init(violation: JSONError?, captured: String?) {
    self.violation = violation
    self.captured = captured
  }
}
