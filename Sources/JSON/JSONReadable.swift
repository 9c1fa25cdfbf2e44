/// A type that can be read from one JSON value.
package protocol JSONReadable {
  /// Reads exactly one value.
  init(from reader: inout JSONReader) throws(JSONError)
}

extension String: JSONReadable {
  /// Reads a string.
  package init(from reader: inout JSONReader) throws(JSONError) { self = try reader.string() }
}

extension Int: JSONReadable {
  /// Reads a whole number.
  package init(from reader: inout JSONReader) throws(JSONError) { self = try reader.integer() }
}

extension Double: JSONReadable {
  /// Reads a number.
  package init(from reader: inout JSONReader) throws(JSONError) { self = try reader.double() }
}

extension Bool: JSONReadable {
  /// Reads `true` or `false`.
  package init(from reader: inout JSONReader) throws(JSONError) { self = try reader.boolean() }
}

extension JSONScalar: JSONReadable {
  /// Reads a string or a number.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self = try reader.stringOrNumber()
  }
}

extension Optional: JSONReadable where Wrapped: JSONReadable {
  /// Reads a value, or `null` as nil.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self = try reader.null() ? nil : Wrapped(from: &reader)
  }
}

extension Array: JSONReadable where Element: JSONReadable {
  /// Reads an array of any length within the reader's limits.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self = try reader.list(of: Element.self)
  }
}

extension JSONReader {
  /// Reads a value of a readable type; `Value?` also accepts `null`.
  package mutating func value<Value: JSONReadable>(
    _ type: Value.Type = Value.self
  ) throws(JSONError) -> Value {
    try Value(from: &self)
  }

  /// Reads an array of at most `countMax` values.
  package mutating func list<Element: JSONReadable>(
    of type: Element.Type = Element.self, countMax: Int = .max
  ) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    try beginArray(countMax: countMax)
    while try nextElement() { elements.append(try Element(from: &self)) }
    return elements
  }
}
