/// Maps records of Apple Health (DAT-6): the type by HealthKit's identifier, the value to our unit.
package enum HealthKitMapping {
  /// The data type of a HealthKit identifier such as `HKQuantityTypeIdentifierHeartRate`; nil for
  /// identifiers that are not imported.
  package static func dataType(of identifier: Span<UInt8>) -> DataType? {
    // The identifiers share a long prefix: compare lengths first, then bytes.
    for (name, type) in identifiers where identifier.equals(name) { return type }
    return nil
  }

  /// The value of a record, converted to our unit.
  ///
  /// `unit` and `value` are the record's attributes; a category has no unit, and its value is a
  /// name. `hours` is the record's length, which is the value of sleep and stand categories.
  /// Converted numbers are rounded to four decimals; others stay unchanged. Returns nil for a
  /// record without a value for us (awake, in bed, an hour without standing). Throws `unknownUnit`
  /// for a unit of a different type, `implausible` for a value that is not valid for the type.
  package static func value(
    _ value: Span<UInt8>, unit: Span<UInt8>, hours: Double, of type: DataType
  ) throws(HealthKitError) -> SampleValue? {
    if value.hasPrefix("HKCategoryValue") { return try category(value, hours: hours, of: type) }
    guard let (factor, offset) = HealthKitUnit.conversion(unit, to: type)
    else { throw .unknownUnit(type) }
    guard var number = Double(decimal: value) else { throw .implausible(.notANumber(type)) }
    if factor != 1 || offset != 0 { number = rounded(number * factor + offset) }
    // HealthKit writes a fraction of 1 with the unit "%"; Health Auto Export writes per cent.
    if type == .oxygenSaturation, number <= 1 { number = rounded(number * 100) }
    return try checked(number, of: type)
  }

  /// The value of a number, as in Health Auto Export; throws as `value`.
  package static func value(
    _ number: Double, unit: Span<UInt8>, of type: DataType
  ) throws(HealthKitError) -> SampleValue {
    guard let (factor, offset) = HealthKitUnit.conversion(unit, to: type)
    else { throw .unknownUnit(type) }
    let converted = factor == 1 && offset == 0 ? number : rounded(number * factor + offset)
    let isShare = type == .oxygenSaturation && converted <= 1
    return try checked(isShare ? rounded(converted * 100) : converted, of: type)
  }

  private static func category(
    _ value: Span<UInt8>, hours: Double, of type: DataType
  ) throws(HealthKitError) -> SampleValue? {
    switch type {
    case .sleepHours:
      guard value.hasPrefix("HKCategoryValueSleepAnalysisAsleep") else { return nil }
      return try checked(rounded(hours), of: type)
    case .standHours:
      guard value.equals("HKCategoryValueAppleStandHourStood") else { return nil }
      return try checked(1, of: type)
    default: throw .unknownUnit(type)
    }
  }

  private static func checked(
    _ number: Double, of type: DataType
  ) throws(HealthKitError) -> SampleValue {
    do throws(SampleValueError) {
      return try SampleValue(number, of: type)
    } catch {
      throw .implausible(error)
    }
  }

  private static func rounded(_ number: Double) -> Double { (number * 1e4).rounded() / 1e4 }

  private static let identifiers: [(String, DataType)] = [
    ("HKQuantityTypeIdentifierHeartRate", .heartRate),
    ("HKQuantityTypeIdentifierStepCount", .steps),
    ("HKQuantityTypeIdentifierActiveEnergyBurned", .activeEnergy),
    ("HKQuantityTypeIdentifierBasalEnergyBurned", .restingEnergy),
    ("HKQuantityTypeIdentifierDistanceWalkingRunning", .walkingRunningDistance),
    ("HKQuantityTypeIdentifierOxygenSaturation", .oxygenSaturation),
    ("HKQuantityTypeIdentifierRespiratoryRate", .respiratoryRate),
    ("HKQuantityTypeIdentifierBloodPressureSystolic", .bloodPressureSystolic),
    ("HKQuantityTypeIdentifierBloodPressureDiastolic", .bloodPressureDiastolic),
    ("HKQuantityTypeIdentifierBodyTemperature", .bodyTemperature),
    ("HKQuantityTypeIdentifierBloodGlucose", .bloodGlucose),
    ("HKQuantityTypeIdentifierBodyMass", .weight),
    ("HKQuantityTypeIdentifierHeight", .height),
    ("HKQuantityTypeIdentifierAppleStandTime", .standHours),
    ("HKCategoryTypeIdentifierAppleStandHour", .standHours),
    ("HKCategoryTypeIdentifierSleepAnalysis", .sleepHours),
    ("HKQuantityTypeIdentifierDietaryEnergyConsumed", .nutritionEnergy),
    ("HKQuantityTypeIdentifierRunningSpeed", .speed),
    ("HKQuantityTypeIdentifierWalkingSpeed", .speed),
  ]
}

/// The reason why a record of Apple Health is skipped. Never contains the value.
package enum HealthKitError: DomainError {
  /// The unit does not belong to the type.
  case unknownUnit(DataType)
  /// The value is not plausible for the type.
  case implausible(SampleValueError)

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .unknownUnit(let type): "The unit of a record of \(type.name) is not known."
    case .implausible(let error): error.description
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether these bytes start with the UTF-8 of `text`.
  func hasPrefix(_ text: String) -> Bool {
    count >= text.utf8.count && extracting(0..<text.utf8.count).equals(text)
  }
}
