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
  /// Steps in the time of the sample.
  case steps(Double)
  /// The device says that the person exercises.
  case exercise
}

/// A measurement, when it was made by the clock of the device, and what the device says of it.
///
/// The pressures of one measurement belong in one reading: only together it is seen that they
/// contradict each other, and that both are in bounds.
public struct Reading: Hashable, Sendable {
  /// What was measured.
  public let measurement: Measurement
  /// When, by the clock of the device.
  public let time: Moment
  /// The number of the device that it comes from, 0 for what came without one: a heart rate of 0 is
  /// a loss of pulse only where the same source had a pulse before.
  public let source: Int32
  /// Whether the device was worn; nil where it does not say.
  public let isOnBody: Bool?
  /// Whether the device says that it will send no other one, so that nothing can confirm it.
  public let isLast: Bool

  /// A measurement made at a moment.
  public init(
    _ measurement: Measurement, at time: Moment, from source: Int32 = 0, isOnBody: Bool? = nil,
    isLast: Bool = false
  ) {
    self.measurement = measurement
    self.time = time
    self.source = source
    self.isOnBody = isOnBody
    self.isLast = isLast
  }
}
