/// One person's value of a data type on one day, as 16 bits.
///
/// Each person has one value per day, clamped to the range that groups count, so that no person can
/// dominate a group. The upper 13 bits are the value with the day's random draw, in steps of a
/// 1,600th of the range. Steps are counted from 1 and start two ranges below the range: a draw is
/// at most 1.3 ranges, so nothing is clamped after adding it. The lower three bits are the bin of
/// the value without its draw. 0 means no value.
package struct DayValueCode: Sendable {
  /// The number of bins in the range.
  package static let binCount = 8
  /// The number of steps in the range.
  package static let stepsOfRange = 1_600.0

  private static let rangesBelow = 2.0
  private static let lastStep = 8_000.0

  /// The range to which values are clamped.
  package let range: ClosedRange<Double>
  private let dayDeviation: Double

  /// Creates the coding of a type; nil for types without numbers.
  package init?(_ type: DataType) {
    guard let range = GroupRange.of(type) else { return nil }
    self.range = range.values
    dayDeviation = range.dayDeviation
  }

  /// The width of the range.
  package var width: Double { range.upperBound - range.lowerBound }

  /// The width of a bin.
  package var binWidth: Double { width / Double(Self.binCount) }

  /// The value, clamped to the range.
  package func clamped(_ value: Double) -> Double {
    min(max(value, range.lowerBound), range.upperBound)
  }

  /// The code of a value, clamped to the range, with the draw of its day (`PersonNoise.ofDay`).
  package func code(of value: Double, with draw: Double) -> UInt16 {
    let clamped = clamped(value)
    let bin = Int((clamped - range.lowerBound) / binWidth)
    let step = min(max(step(of: clamped + draw * dayDeviation), 1), Self.lastStep + 1)
    return UInt16(step) << 3 | UInt16(min(bin, Self.binCount - 1))
  }

  /// The step of a value, which may be outside the range.
  package func step(of value: Double) -> Double {
    (((value - range.lowerBound) / width + Self.rangesBelow) * Self.stepsOfRange).rounded() + 1
  }

  /// The value of a step, or of a mean of steps.
  package func value(ofStep step: Double) -> Double {
    range.lowerBound + ((step - 1) / Self.stepsOfRange - Self.rangesBelow) * width
  }

  /// The centre of a bin.
  func middle(ofBin bin: Int) -> Double {
    range.lowerBound + (Double(bin) + 0.5) * binWidth
  }
}
