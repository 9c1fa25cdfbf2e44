/// What groups count of a numeric data type: the range that a person's day values are clamped to,
/// and the deviation of the draw that each of them carries.
///
/// The noise of a person is as wide as the range (`PersonNoise`), so a narrow range makes means
/// exact, and one that cuts many people off makes them wrong. A range holds the usual day values of
/// nearly everybody, not the plausible ones: what lies outside counts as the end.
package struct GroupRange: Hashable, Sendable {
  /// The range of day values; an eighth of it is a bin of the histogram.
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

/// Vital signs reach about as far as NEWS2 (Royal College of Physicians, 2017) grades them: beyond
/// 8 to 25 breaths a minute and 35 to 39.1 °C it has one grade only. The others are chosen by
/// judgement; none is a medical limit. Deviations within one person are estimates too, not taken
/// from a source: means of whole days vary by about 5 BPM, steps by about 2,500.
private let groupRanges: [DataType: GroupRange] = [
  // Resting and waking means of adults; infants lie above, and count as 120.
  .heartRate: GroupRange(40...120, days: 10),
  .bloodPressureSystolic: GroupRange(80...200, days: 16),
  .bloodPressureDiastolic: GroupRange(40...120, days: 12),
  // Below 84 % a person needs a hospital.
  .oxygenSaturation: GroupRange(84...100, days: 2),
  .respiratoryRate: GroupRange(8...24, days: 3),
  .bodyTemperature: GroupRange(35...39, days: 0.6),
  // From hypoglycaemia to the renal threshold and well above.
  .bloodGlucose: GroupRange(40...280, days: 40),
  // Children and adults alike, hence from low ends.
  .weight: GroupRange(0...160, days: 1),
  .height: GroupRange(0.4...2, days: 0.02),
  // Sums of a day: twice to three times what is advised or usual.
  .steps: GroupRange(0...20_000, days: 5_000),
  .walkingRunningDistance: GroupRange(0...16_000, days: 4_000),
  .standHours: GroupRange(0...16, days: 3),
  .activeEnergy: GroupRange(0...1_600, days: 300),
  .restingEnergy: GroupRange(400...2_800, days: 100),
  .nutritionEnergy: GroupRange(0...4_000, days: 800),
  .sleepHours: GroupRange(3...11, days: 2),
  // Standing to a run of 4 min 10 s a kilometre.
  .speed: GroupRange(0...4, days: 0.8),
  // Sea level to 1,500 m.
  .ambientPressure: GroupRange(850...1_050, days: 15),
]
