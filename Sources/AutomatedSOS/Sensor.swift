/// What is remembered of the readings of one vital sign: the newest, and how often it was the same.
struct Sensor: Hashable, Sendable {
  /// What the order and the values of readings say about the newest one.
  enum Finding {
    /// Newer than all before, and the sensor moves.
    case fresh
    /// Older than one that was seen, or that one again.
    case late
    /// The sensor gives the same value again and again.
    case stuck
  }

  /// Equal values in a row from which on a sensor is stuck (docs/facts.md, SOS: 60 times).
  static let equalMax: UInt8 = 60

  private var newest = Moment.first
  /// A heart rate, or a systolic pressure; 0 where the reading has none.
  private var value: Float = 0
  /// A diastolic pressure; 0 where the reading has none.
  private var lower: Float = 0
  private var equalInARow: UInt8 = 0

  /// When the newest reading was made, if it was plausible; for heart rates.
  var newestPulse: Moment? {
    Plausibility.heartRate.contains(Double(value)) ? newest : nil
  }

  /// Takes the next plausible reading, measured at `time`, which is not after `now`.
  ///
  /// Of two at the same time with different values the one that came later is the newer.
  mutating func take(_ value: Float, _ lower: Float, at time: Moment, now: Moment) -> Finding {
    guard !isLate(value, lower, at: time, now: now) else { return .late }
    let isEqual = value == self.value && lower == self.lower
    equalInARow = isEqual ? min(equalInARow + 1, Self.equalMax) : 1
    (newest, self.value, self.lower) = (time, value, lower)
    return equalInARow < Self.equalMax ? .fresh : .stuck
  }

  /// Whether a reading is older than the newest one, or that one again.
  func isLate(_ value: Float, _ lower: Float, at time: Moment, now: Moment) -> Bool {
    // Later than now, the newest was noted before the clock was set back.
    let newest = min(newest, now)
    return time < newest || (time == newest && value == self.value && lower == self.lower)
  }
}
