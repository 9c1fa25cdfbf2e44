/// How groups count a numeric data type: the range to which a person's day values are clamped, and
/// the deviation of the random draw added to each.
///
/// The noise of a person is as wide as the range (`PersonNoise`). A narrow range therefore makes
/// means precise, and one that clamps many people makes them wrong. A range covers the usual day
/// values of nearly all people, not all plausible ones: a value outside counts as the nearer end.
package struct GroupRange: Hashable, Sendable {
  /// The range of day values; each bin of the histogram is an eighth of it.
  package let values: ClosedRange<Double>
  /// The deviation of a day's draw: about twice that of one person's day values, and at most a
  /// quarter of the range.
  package let dayDeviation: Double

  /// The range of a type; nil for types without numbers.
  package static func of(_ type: DataType) -> GroupRange? { groupRanges[type] }

  init(_ values: ClosedRange<Double>, days dayDeviation: Double) {
    self.values = values
    self.dayDeviation = dayDeviation
  }
}

/// The ranges of vital signs follow the grades of NEWS2 (Royal College of Physicians, 2017), which
/// distinguishes no further beyond 8 to 25 breaths a minute and 35 to 39.1 °C. The others are
/// chosen by judgement; none is a medical limit. Deviations within one person are estimates too,
/// without a source: means of whole days vary by about 5 BPM, steps by about 2,500.
private let groupRanges: [DataType: GroupRange] = [
  // Adults' means at rest and awake; infants are above, and count as 120.
  .heartRate: GroupRange(40...120, days: 10),
  .bloodPressureSystolic: GroupRange(80...200, days: 16),
  .bloodPressureDiastolic: GroupRange(40...120, days: 12),
  // Below 84 % a person needs a hospital.
  .oxygenSaturation: GroupRange(84...100, days: 2),
  .respiratoryRate: GroupRange(8...24, days: 3),
  .bodyTemperature: GroupRange(35...39, days: 0.6),
  // From hypoglycaemia to the renal threshold and well above.
  .bloodGlucose: GroupRange(40...280, days: 40),
  // For children and adults alike, hence the low ends.
  .weight: GroupRange(0...160, days: 1),
  .height: GroupRange(0.4...2, days: 0.02),
  // Sums of a day: two to three times the recommended or usual amount.
  .steps: GroupRange(0...20_000, days: 5_000),
  .walkingRunningDistance: GroupRange(0...16_000, days: 4_000),
  .standHours: GroupRange(0...16, days: 3),
  .activeEnergy: GroupRange(0...1_600, days: 300),
  .restingEnergy: GroupRange(400...2_800, days: 100),
  .nutritionEnergy: GroupRange(0...4_000, days: 800),
  .sleepHours: GroupRange(3...11, days: 2),
  // From standing to running at 4 min 10 s a kilometre.
  .speed: GroupRange(0...4, days: 0.8),
  // Sea level to 1,500 m.
  .ambientPressure: GroupRange(850...1_050, days: 15),
]
