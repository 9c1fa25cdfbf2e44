/// One person's value of a data type on one day, as 16 bits over the type's plausible range.
///
/// One value a person and day, clamped: nobody can dominate a group. 0 means that there is none; 1
/// to 65,535 divide the range in equal steps, ends included.
package struct DayValueCode: Sendable {
  /// The steps of the range.
  package static let steps = 65_534.0

  /// The plausible range of the type.
  package let range: ClosedRange<Double>

  /// The coding of a type; nil for types without numbers.
  package init?(_ type: DataType) {
    guard let range = type.plausibleRange else { return nil }
    self.range = range
  }

  /// The width of the range.
  package var width: Double { range.upperBound - range.lowerBound }

  /// The nearest value of the range.
  package func clamped(_ value: Double) -> Double {
    min(max(value, range.lowerBound), range.upperBound)
  }

  /// The code of a value, clamped to the range.
  package func code(of value: Double) -> UInt16 {
    let share = (clamped(value) - range.lowerBound) / width
    return UInt16((share * Self.steps).rounded()) + 1
  }

  /// The value of a code, or of a mean of codes, that is at least 1.
  package func value(of code: Double) -> Double {
    range.lowerBound + (code - 1) / Self.steps * width
  }
}
