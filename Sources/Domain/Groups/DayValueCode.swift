/// One person's value of a data type on one day, as 16 bits over the type's plausible range.
///
/// One value a person and day, clamped: nobody can dominate a group. 0 means that there is none; 1
/// to 65,535 divide the range in equal steps, ends included.
package struct DayValueCode: Sendable {
  /// The bytes of a month's values: 31 codes of two bytes, the higher one first.
  package static let monthBytes = 62
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

  /// The code of a value, clamped to the range.
  package func code(of value: Double) -> UInt16 {
    let clamped = min(max(value, range.lowerBound), range.upperBound)
    let share = (clamped - range.lowerBound) / width
    return UInt16((share * Self.steps).rounded()) + 1
  }

  /// The value of a code, or of a mean of codes, that is at least 1.
  package func value(of code: Double) -> Double {
    range.lowerBound + (code - 1) / Self.steps * width
  }
}

/// The coded values of one person, type and month.
package struct MonthCodes: Hashable, Sendable {
  /// The bytes as they are stored.
  package private(set) var bytes: [UInt8]

  /// No values.
  package init() { bytes = Array(repeating: 0, count: DayValueCode.monthBytes) }

  /// The stored bytes; nil for another length.
  package init?(bytes: [UInt8]) {
    guard bytes.count == DayValueCode.monthBytes else { return nil }
    self.bytes = bytes
  }

  /// The code of a day of the month, from 0 to 30; 0 for none.
  package subscript(dayOfMonth: Int) -> UInt16 {
    get { UInt16(bytes[2 * dayOfMonth]) << 8 | UInt16(bytes[2 * dayOfMonth + 1]) }
    set {
      bytes[2 * dayOfMonth] = UInt8(truncatingIfNeeded: newValue >> 8)
      bytes[2 * dayOfMonth + 1] = UInt8(truncatingIfNeeded: newValue)
    }
  }

  /// Whether no day has a value.
  package var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
}
