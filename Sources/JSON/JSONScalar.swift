/// A value that a client may send as a string or as a number.
package enum JSONScalar: Sendable, Equatable {
  /// The text, its escapes decoded.
  case string(String)
  /// The number.
  case number(Double)
}
