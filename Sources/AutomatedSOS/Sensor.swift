/// The newest reading of one vital sign, and how often its value was repeated.
struct Sensor: Hashable, Sendable {
  /// The result of checking the order and the values of readings.
  enum Finding {
    /// Newer than all before, with a sensor that is not stuck.
    case fresh
    /// Older than the newest one, or the same one again.
    case late
    /// The sensor repeats the same value.
    case stuck
  }

  /// The number of equal values in a row from which a sensor is stuck (docs/facts.md, SOS: 60
  /// times).
  static let equalMax: UInt8 = 60

  private var newest = Moment.first
  /// A heart rate, or a systolic pressure; 0 if the reading has none.
  private var value: Float = 0
  /// A diastolic pressure; 0 if the reading has none.
  private var lower: Float = 0
  private var equalInARow: UInt8 = 0

  /// The time of the newest reading, if it was plausible; only for heart rates.
  var newestPulse: Moment? {
    Plausibility.heartRate.contains(Double(value)) ? newest : nil
  }

  /// Takes the next plausible reading, measured at `time`, which is not after `now`.
  ///
  /// Of two with the same time and different values, the one that arrived later is the newer.
  mutating func take(_ value: Float, _ lower: Float, at time: Moment, now: Moment) -> Finding {
    guard !isLate(value, lower, at: time, now: now) else { return .late }
    let isEqual = value == self.value && lower == self.lower
    equalInARow = isEqual ? min(equalInARow + 1, Self.equalMax) : 1
    (newest, self.value, self.lower) = (time, value, lower)
    return equalInARow < Self.equalMax ? .fresh : .stuck
  }

  /// Whether a reading is older than the newest one, or the same one again.
  func isLate(_ value: Float, _ lower: Float, at time: Moment, now: Moment) -> Bool {
    // The newest reading is later than now only after the clock was set back.
    let newest = min(newest, now)
    return time < newest || (time == newest && value == self.value && lower == self.lower)
  }
}
