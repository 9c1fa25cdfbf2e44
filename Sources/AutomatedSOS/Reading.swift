/// A value that a device measured, or an event that it detected.
public enum Measurement: Hashable, Sendable {
  /// Heart beats per minute.
  case heartRate(Double)
  /// Both blood pressures of one measurement, in mmHg.
  case bloodPressure(systolic: Double, diastolic: Double)
  /// A systolic pressure without a diastolic one, in mmHg.
  case systolicPressure(Double)
  /// A diastolic pressure without a systolic one, in mmHg.
  case diastolicPressure(Double)
  /// A fall detected by the device.
  case fall
  /// Shaking detected by the device.
  case shaking
  /// The person's speed, in metres a second.
  case speed(Double)
  /// Steps during the sample.
  case steps(Double)
  /// The device reports that the person exercises.
  case exercise
}

/// A measurement with its time by the device's clock, and the device's state.
///
/// The two pressures of one measurement belong in one reading: only together can they contradict
/// each other, or both be in bounds.
public struct Reading: Hashable, Sendable {
  /// What was measured.
  public let measurement: Measurement
  /// When it was measured, by the device's clock.
  public let time: Moment
  /// The number of the device, 0 if unknown. A heart rate of 0 is a loss of pulse only if the same
  /// source had a pulse before.
  public let source: Int32
  /// Whether the device was worn; nil if unknown.
  public let isOnBody: Bool?
  /// Whether the device announces that it will send no further reading, so that none can confirm
  /// this one.
  public let isLast: Bool

  /// Creates a reading of a measurement at a moment.
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
