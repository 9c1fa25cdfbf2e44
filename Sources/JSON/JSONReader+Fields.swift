// Checks of a payload's fields beyond the syntax.

extension JSONReader {
  /// Requires a field of the object read last.
  ///
  /// - Throws: an error with its name if the field is missing.
  package func mandatory<Value>(_ name: String, _ value: Value?) throws(JSONError) -> Value {
    guard let value else { throw missing(name) }
    return value
  }

  /// Reads one field of an object with `read` and skips the others.
  ///
  /// - Throws: A refusal if the field is missing, and the errors of `read`.
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

  /// Reads one field of an object, of a readable type, and skips the others.
  package mutating func object<Value: JSONReadable>(
    with name: StaticString, _ type: Value.Type = Value.self
  ) throws(JSONError) -> Value {
    try object(with: name) { (reader) throws(JSONError) in try Value(from: &reader) }
  }
}
