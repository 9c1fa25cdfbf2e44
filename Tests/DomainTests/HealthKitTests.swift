import Domain
import Requirements
import Testing

@Suite("records of Apple Health")
struct HealthKitTests {
  static func value(
    _ type: DataType, _ value: String, _ unit: String, hours: Double = 0
  ) throws -> SampleValue? {
    try HealthKitMapping.value(
      value.utf8Span.span, unit: unit.utf8Span.span, hours: hours, of: type)
  }

  @Test("units are converted to ours", .tags(.DAT_6))
  func units() throws {
    let rows: [(DataType, String, String, Double)] = [
      (.heartRate, "72.5", "count/min", 72.5), (.weight, "70", "kg", 70),
      (.weight, "154.3", "lb", 69.9893), (.height, "178", "cm", 1.78), (.height, "1.78", "m", 1.78),
      (.height, "5.84", "ft", 1.78), (.bloodPressureSystolic, "120", "mmHg", 120),
      (.oxygenSaturation, "0.97", "%", 97), (.oxygenSaturation, "1", "%", 100),
      (.oxygenSaturation, "97", "%", 97), (.bodyTemperature, "98.6", "degF", 37),
      (.bodyTemperature, "36.6", "degC", 36.6), (.bloodGlucose, "5.5", "mmol/L", 99.0857),
      (.bloodGlucose, "90", "mg/dL", 90), (.steps, "1234", "count", 1234),
      (.walkingRunningDistance, "1.5", "km", 1500), (.walkingRunningDistance, "1", "mi", 1609.344),
      (.activeEnergy, "100", "kcal", 100), (.activeEnergy, "418.4", "kJ", 100),
      (.restingEnergy, "12", "Cal", 12), (.nutritionEnergy, "500", "kcal", 500),
      (.respiratoryRate, "16", "count/min", 16), (.standHours, "30", "min", 0.5),
      (.speed, "3.6", "km/hr", 1), (.speed, "10", "mi/hr", 4.4704), (.speed, "2.5", "m/s", 2.5),
    ]
    for (type, text, unit, expected) in rows {
      #expect(try Self.value(type, text, unit) == .number(expected), "\(type) \(text) \(unit)")
    }
    let percent = "%"
    let share = try HealthKitMapping.value(
      0.97, unit: percent.utf8Span.span, of: .oxygenSaturation)
    #expect(share == .number(97))
  }

  @Test("sleep counts the hours asleep, standing the hours with standing", .tags(.DAT_6))
  func categories() throws {
    #expect(
      try Self.value(.sleepHours, "HKCategoryValueSleepAnalysisAsleepREM", "", hours: 1.5)
        == .number(1.5))
    #expect(
      try Self.value(.sleepHours, "HKCategoryValueSleepAnalysisAsleep", "", hours: 8)
        == .number(8))
    for value in ["HKCategoryValueSleepAnalysisInBed", "HKCategoryValueSleepAnalysisAwake"] {
      #expect(try Self.value(.sleepHours, value, "", hours: 1) == nil)
    }
    #expect(
      try Self.value(.standHours, "HKCategoryValueAppleStandHourStood", "") == .number(1))
    #expect(try Self.value(.standHours, "HKCategoryValueAppleStandHourIdle", "") == nil)
  }

  @Test("every documented error of a record", .tags(.DAT_6))
  func errors() {
    #expect(throws: HealthKitError.unknownUnit(.weight)) { try Self.value(.weight, "1", "m") }
    #expect(throws: HealthKitError.unknownUnit(.weight)) {
      try Self.value(.weight, "HKCategoryValueNotApplicable", "")
    }
    #expect(throws: HealthKitError.implausible(.notANumber(.weight))) {
      try Self.value(.weight, "heavy", "kg")
    }
    #expect(throws: HealthKitError.implausible(.outOfRange(.heartRate))) {
      try Self.value(.heartRate, "300", "count/min")
    }
    #expect(throws: HealthKitError.implausible(.outOfRange(.sleepHours))) {
      try Self.value(.sleepHours, "HKCategoryValueSleepAnalysisAsleep", "", hours: 25)
    }
  }

  @Test("imported identifiers have a data type, others none", .tags(.DAT_6))
  func identifiers() {
    func type(_ name: String) -> DataType? {
      HealthKitMapping.dataType(of: name.utf8Span.span)
    }
    #expect(type("HKQuantityTypeIdentifierHeartRate") == .heartRate)
    #expect(type("HKQuantityTypeIdentifierBodyMass") == .weight)
    #expect(type("HKCategoryTypeIdentifierSleepAnalysis") == .sleepHours)
    #expect(type("HKQuantityTypeIdentifierHeartRateVariabilitySDNN") == nil)
    #expect(type("") == nil)
  }
}
