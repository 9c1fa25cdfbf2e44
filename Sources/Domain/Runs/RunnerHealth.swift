import Time

/// A runner's health data during a run, as far as shared: heart rate and energy (RUN-6).
///
/// Samples may arrive late and in any order; each must be added once.
package struct RunnerHealth: Sendable {
  /// The latest heart rate, in beats a minute.
  package private(set) var heartRate: Double?
  /// When it was measured.
  package private(set) var heartRateAt: Instant?

  private var heartRateSum = 0.0
  private var heartRateCount = 0
  private var energy = CumulativeHours()
  private var hasEnergy = false

  /// Creates empty health data.
  package init() {}

  /// The mean of all heart rates, in beats a minute.
  package var meanHeartRate: Double? {
    heartRateCount > 0 ? heartRateSum / Double(heartRateCount) : nil
  }

  /// The active energy in kilocalories; energy counted by both phone and watch counts once.
  package var kilocalories: Double? {
    hasEnergy ? energy.counted().reduce(0) { $0 + ($1.value.number ?? 0) } : nil
  }

  /// Adds a sample of a runner; samples of other types, or from outside the run's times, are
  /// ignored.
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
