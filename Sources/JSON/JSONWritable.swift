/// A type that can be written as one JSON value.
package protocol JSONWritable {
  /// Writes exactly one value.
  func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
  /// Writes a string with the necessary escapes.
  package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
  /// Writes `true` or `false`.
  package func write(to writer: inout JSONWriter) { writer.token(self ? "true" : "false") }
}

extension Int: JSONWritable {
  /// Writes a whole number.
  package func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Int64: JSONWritable {
  /// Writes a whole number.
  package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int32: JSONWritable {
  /// Writes a whole number.
  package func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension UInt64: JSONWritable {
  /// Writes a whole number.
  package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONWritable {
  /// Writes the shortest text that parses to the same number; `null` for NaN and infinities.
  package func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
  /// Writes the value, or `null`.
  package func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.null() }
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  /// Writes an array of the elements.
  package func write(to writer: inout JSONWriter) {
    writer.array { for element in self { element.write(to: &$0) } }
  }
}
