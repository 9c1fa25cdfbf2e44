import Time

/// Systolic pressure must exceed diastolic pressure wherever a batch has both at the same time.
package enum BloodPressureRule {
  /// The index of the first sample that violates the rule together with another of the batch, or
  /// nil.
  ///
  /// Both samples of a pair are checked; the index is that of the later one in the batch. Samples
  /// without a counterpart at exactly the same millisecond pass.
  package static func firstViolation(in batch: [Sample]) -> Int? {
    var lowestSystolic: [Instant: Double] = [:]
    var highestDiastolic: [Instant: Double] = [:]
    for (index, sample) in batch.enumerated() {
      guard let value = sample.value.number else { continue }
      switch sample.type {
      case .bloodPressureSystolic:
        if let diastolic = highestDiastolic[sample.time], value <= diastolic { return index }
        lowestSystolic[sample.time] = min(value, lowestSystolic[sample.time] ?? value)
      case .bloodPressureDiastolic:
        if let systolic = lowestSystolic[sample.time], systolic <= value { return index }
        highestDiastolic[sample.time] = max(value, highestDiastolic[sample.time] ?? value)
      default: continue
      }
    }
    return nil
  }
}
