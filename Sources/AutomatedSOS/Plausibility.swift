/// The possible values of a living person; others are sensor faults and raise no emergency.
enum Plausibility {
  /// In BPM (docs/facts.md, SOS: over 250 is a fault).
  static let heartRate: ClosedRange<Double> = 20...250
  /// In BPM: no pulse, or a fault (docs/facts.md, SOS, loss of pulse).
  static let pulseless: Range<Double> = 0..<20
  /// In mmHg (docs/facts.md, data types).
  static let systolic: ClosedRange<Double> = 40...300
  /// In mmHg (docs/facts.md, data types).
  static let diastolic: ClosedRange<Double> = 20...200
  /// In metres a second (docs/facts.md, data types).
  static let speed: ClosedRange<Double> = 0...100
  /// Per sample (docs/facts.md, data types).
  static let steps: ClosedRange<Double> = 0...100_000

  /// Whether a measurement is possible; systolic pressure must exceed diastolic.
  static func holds(_ measurement: Measurement) -> Bool {
    switch measurement {
    case .heartRate(let rate): heartRate.contains(rate)
    case .bloodPressure(let upper, let lower):
      systolic.contains(upper) && diastolic.contains(lower) && upper > lower
    case .systolicPressure(let pressure): systolic.contains(pressure)
    case .diastolicPressure(let pressure): diastolic.contains(pressure)
    case .speed(let metres): speed.contains(metres)
    case .steps(let count): steps.contains(count)
    case .fall, .shaking, .exercise: true
    }
  }
}
