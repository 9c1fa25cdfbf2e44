import AutomatedSOS
import Requirements
import Testing

@Suite("Thresholds of AutomatedSOS")
struct ThresholdTests {
  private func verdict(_ measurement: Measurement, months: Int = 480) throws -> Verdict {
    var patient = try Patient(months: months)
    return patient.take(measurement, at: 0).verdict
  }

  @Test(
    "an adult's heart rate raises an emergency under 45 and over 120", .tags(.R35, .SOS_1),
    arguments: [
      (44.9, Rule.heartRateLow), (20, .heartRateLow), (120.1, .heartRateHigh),
      (250, .heartRateHigh),
    ])
  func adult(rate: Double, rule: Rule) throws {
    var patient = try Patient()
    #expect(try patient.suspected(by: .heartRate(rate), at: 0).rule == rule)
  }

  @Test(
    "a heart rate in bounds raises none, including the bounds", .tags(.R35, .SOS_1),
    arguments: [45.0, 80, 120])
  func inBounds(rate: Double) throws {
    #expect(try verdict(.heartRate(rate)) == .normal)
  }

  @Test(
    "under the age of 18 the bounds are those of the age, on both sides of each limit",
    .tags(.R35, .SOS_1),
    arguments: [
      (0, 107.0, 181.0), (2, 107, 181), (3, 104, 175), (5, 104, 175), (6, 98, 168), (8, 98, 168),
      (9, 93, 161), (11, 93, 161), (12, 88, 156), (17, 88, 156), (18, 82, 149), (23, 82, 149),
      (24, 76, 142), (35, 76, 142), (36, 70, 136), (47, 70, 136), (48, 65, 131), (71, 65, 131),
      (72, 59, 123), (95, 59, 123), (96, 52, 115), (143, 52, 115), (144, 47, 108),
      (179, 47, 108), (180, 43, 104), (215, 43, 104), (216, 45, 120), (1560, 45, 120),
    ])
  func children(months: Int, low: Double, high: Double) throws {
    let thresholds = Thresholds(age: Age(months: months)!)
    #expect(thresholds[.heartRateLow] == low && thresholds[.heartRateHigh] == high)
    #expect(try verdict(.heartRate(low), months: months) == .normal)
    #expect(try verdict(.heartRate(low - 0.5), months: months) == .critical)
    #expect(try verdict(.heartRate(high), months: months) == .normal)
    #expect(try verdict(.heartRate(high + 0.5), months: months) == .critical)
  }

  @Test("an age is between birth and 130 years")
  func ages() {
    #expect(Age(months: -1) == nil && Age(months: 1561) == nil)
    #expect(Age(months: 0)?.isAdult == false && Age(months: 1560)?.years == 130)
  }

  @Test(
    "an adult's blood pressure raises an emergency over 170, over 100, and at or under 90",
    .tags(.SOS_1),
    arguments: [
      (Measurement.bloodPressure(systolic: 170.5, diastolic: 80), Rule.bloodPressureHigh),
      (.bloodPressure(systolic: 150, diastolic: 100.5), .bloodPressureHigh),
      (.bloodPressure(systolic: 90, diastolic: 60), .bloodPressureLow),
      (.systolicPressure(170.5), .bloodPressureHigh), (.systolicPressure(90), .bloodPressureLow),
      (.diastolicPressure(100.5), .bloodPressureHigh),
    ])
  func pressure(measurement: Measurement, rule: Rule) throws {
    var patient = try Patient()
    let judgement = patient.take(measurement, at: 0)
    #expect(judgement.decisions.compactMap { $0.emergency?.rule } == [rule])
  }

  @Test(
    "a blood pressure in bounds raises none, including the bounds", .tags(.SOS_1),
    arguments: [
      Measurement.bloodPressure(systolic: 170, diastolic: 100),
      .bloodPressure(systolic: 90.5, diastolic: 60), .systolicPressure(170),
      .systolicPressure(90.5), .diastolicPressure(100),
    ])
  func pressureInBounds(measurement: Measurement) throws {
    #expect(try verdict(measurement) == .normal)
  }

  @Test("under the age of 18 no blood pressure raises an emergency", .tags(.SOS_1))
  func childrensPressure() throws {
    for systolic in [85.0, 95, 180] {
      let measurement = Measurement.bloodPressure(systolic: systolic, diastolic: 50)
      #expect(try verdict(measurement, months: 215) == .normal)
    }
    #expect(Thresholds(age: Age(months: 215)!)[.systolicLow] == nil)
    #expect(Thresholds(age: Age(months: 216)!)[.systolicLow] == 90)
  }

  @Test("a fall and shaking raise an emergency at any age", .tags(.SOS_1), arguments: [5, 480])
  func concluded(months: Int) throws {
    var patient = try Patient(months: months)
    #expect(try patient.suspected(by: .fall, at: 0).rule == .fall)
    #expect(try patient.suspected(by: .shaking, at: 0).rule == .shaking)
  }

  @Test("a person's own thresholds replace those of the age", .tags(.SOS_1))
  func personal() throws {
    var patient = try Patient(
      personal: PersonalThresholds(
        heartRateLow: 50, heartRateHigh: 140, systolicLow: 80, systolicHigh: 160,
        diastolicHigh: 95))
    #expect(try patient.suspected(by: .heartRate(140.5), at: 0).rule == .heartRateHigh)
    #expect(patient.take(.heartRate(140), at: 1).names == ["withdrawn"])
    #expect(try patient.suspected(by: .heartRate(49.5), at: 2).rule == .heartRateLow)
    #expect(patient.take(.bloodPressure(systolic: 80.5, diastolic: 70), at: 0).names == [])
    let high = try patient.suspected(by: .bloodPressure(systolic: 160.5, diastolic: 70), at: 10)
    #expect(high.rule == .bloodPressureHigh)
    #expect(patient.detector.thresholds[.diastolicHigh] == 95)
    #expect(patient.detector.thresholds[.systolicLow] == 80)
  }

  @Test(
    "thresholds are accepted within safe bounds and rejected beyond, on both sides",
    .tags(.SOS_1), arguments: Threshold.allCases)
  func safeBounds(threshold: Threshold) throws {
    let age = Age(months: 480)!
    let bounds: [Threshold: (Double, Double)] = [
      .heartRateLow: (30, 55), .heartRateHigh: (110, 180), .systolicLow: (70, 100),
      .systolicHigh: (150, 200), .diastolicHigh: (90, 120),
    ]
    let (from, to) = try #require(bounds[threshold])
    for value in [from, to] {
      #expect(try Thresholds(age: age, personal: .only(threshold, value))[threshold] == value)
    }
    for value in [from - 0.5, to + 0.5, .nan, .infinity, -.infinity] {
      #expect(throws: ThresholdError.outsideSafeBounds(threshold)) {
        try Thresholds(age: age, personal: .only(threshold, value))
      }
    }
    let sentence = ThresholdError.outsideSafeBounds(threshold).description
    #expect(sentence == "\(threshold.rawValue) must lie between \(Int(from)) and \(Int(to)).")
  }

  @Test(
    "under the age of 18 personal thresholds are rejected", .tags(.SOS_1),
    arguments: Threshold.allCases)
  func underAge(threshold: Threshold) throws {
    let personal = PersonalThresholds.only(threshold, threshold.safeBounds.lowerBound)
    #expect(throws: ThresholdError.underAge) {
      try Thresholds(age: Age(months: 215)!, personal: personal)
    }
    _ = try Thresholds(age: Age(months: 216)!, personal: personal)
    _ = try Thresholds(age: Age(months: 215)!, personal: PersonalThresholds())
  }
}

extension PersonalThresholds {
  static func only(_ threshold: Threshold, _ value: Double) -> PersonalThresholds {
    var personal = PersonalThresholds()
    switch threshold {
    case .heartRateLow: personal.heartRateLow = value
    case .heartRateHigh: personal.heartRateHigh = value
    case .systolicLow: personal.systolicLow = value
    case .systolicHigh: personal.systolicHigh = value
    case .diastolicHigh: personal.diastolicHigh = value
    }
    return personal
  }
}
