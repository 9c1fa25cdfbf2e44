// What payloads ask of their fields beside the syntax.

extension JSONReader {
  /// A field that the object read last must have.
  ///
  /// - Throws: the error that names it where there is none.
  package func mandatory<Value>(_ name: String, _ value: Value?) throws(JSONError) -> Value {
    guard let value else { throw missing(name) }
    return value
  }

  /// Reads an object of which one field counts, by `read`; the others are skipped.
  ///
  /// - Throws: A refusal if the field is missing, and what `read` throws.
  package mutating func object<Value>(
    with name: StaticString, _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    var value: Value?
    try beginObject()
    while let key = try nextField() {
      if key == name { value = try read(&self) }
    }
    return try mandatory("\(name)", value)
  }

  /// Reads an object of which one field counts, of a type that reads itself.
  package mutating func object<Value: JSONReadable>(
    with name: StaticString, _ type: Value.Type = Value.self
  ) throws(JSONError) -> Value {
    try object(with: name) { (reader) throws(JSONError) in try Value(from: &reader) }
  }
}
