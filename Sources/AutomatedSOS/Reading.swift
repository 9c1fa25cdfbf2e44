/// What a device measured or concluded.
public enum Measurement: Hashable, Sendable {
  /// Heart beats a minute.
  case heartRate(Double)
  /// Both blood pressures of one measurement, in mmHg.
  case bloodPressure(systolic: Double, diastolic: Double)
  /// A systolic pressure that came without a diastolic one, in mmHg.
  case systolicPressure(Double)
  /// A diastolic pressure that came without a systolic one, in mmHg.
  case diastolicPressure(Double)
  /// A fall that the device concluded.
  case fall
  /// Shaking that the device concluded.
  case shaking
  /// The person's speed, in metres a second.
  case speed(Double)
  /// The device says that the person exercises.
  case exercise
}

/// A measurement and when it was made, by the clock of the device.
///
/// The pressures of one measurement belong in one reading: only together it is seen that they
/// contradict each other, and that both are in bounds.
public struct Reading: Hashable, Sendable {
  /// What was measured.
  public let measurement: Measurement
  /// When, by the clock of the device.
  public let time: Moment

  /// A measurement made at a moment.
  public init(_ measurement: Measurement, at time: Moment) {
    self.measurement = measurement
    self.time = time
  }
}
