/// What a runner's health data of a run comes to: heart rate and energy, as far as shared (RUN-6).
///
/// Samples may come late and in any order; each is to be added once.
package struct RunnerHealth: Sendable {
  /// The latest heart rate, in beats a minute.
  package private(set) var heartRate: Double?
  /// When that was measured.
  package private(set) var heartRateAt: Timestamp?

  private var heartRateSum = 0.0
  private var heartRateCount = 0
  private var energy = CumulativeHours()
  private var hasEnergy = false

  /// Nothing yet.
  package init() {}

  /// The mean of all heart rates, in beats a minute.
  package var meanHeartRate: Double? {
    heartRateCount > 0 ? heartRateSum / Double(heartRateCount) : nil
  }

  /// The active energy in kilocalories; what phone and watch both counted counts once.
  package var kilocalories: Double? {
    hasEnergy ? energy.counted().reduce(0) { $0 + ($1.value.number ?? 0) } : nil
  }

  /// Adds a sample of a runner in a run; types and times that are none of the run's business are
  /// left out.
  package mutating func add(_ sample: StoredSample, of type: DataType, during times: RunTimes) {
    guard times.contains(sample.time), let number = sample.value.number else { return }
    if type == .activeEnergy {
      energy.add(sample)
      hasEnergy = true
    } else if type == .heartRate {
      heartRateSum += number
      heartRateCount += 1
      if heartRateAt.map({ $0 <= sample.time }) ?? true {
        (heartRate, heartRateAt) = (number, sample.time)
      }
    }
  }
}
