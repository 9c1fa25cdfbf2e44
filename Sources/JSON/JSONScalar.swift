/// A value sent either as a string or as a number.
package enum JSONScalar: Sendable, Equatable {
  /// The text, with escapes decoded.
  case string(String)
  /// The number.
  case number(Double)
}
