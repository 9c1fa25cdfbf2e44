/// A kind of health data (DAT-2); the raw value is its storage number and never changes.
/// docs/contributing.md lists the files that a new type changes.
package enum DataType: UInt8, Hashable, Sendable, CaseIterable {
  /// The person's position, WGS 84.
  case position = 1
  /// Heart beats per minute.
  case heartRate = 2
  /// Upper blood pressure.
  case bloodPressureSystolic = 3
  /// Lower blood pressure.
  case bloodPressureDiastolic = 4
  /// Oxygen saturation of the blood.
  case oxygenSaturation = 5
  /// Breaths per minute.
  case respiratoryRate = 6
  /// Body temperature.
  case bodyTemperature = 7
  /// Glucose in the blood.
  case bloodGlucose = 8
  /// Body weight.
  case weight = 9
  /// Body height.
  case height = 10
  /// Steps during the sample.
  case steps = 11
  /// Distance walked or run during the sample.
  case walkingRunningDistance = 12
  /// Hours that contain some standing.
  case standHours = 13
  /// Energy spent on activity.
  case activeEnergy = 14
  /// Energy spent at rest.
  case restingEnergy = 15
  /// Energy intake.
  case nutritionEnergy = 16
  /// Time asleep.
  case sleepHours = 17
  /// Speed of the person.
  case speed = 18
  /// Pressure of the air.
  case ambientPressure = 19
  /// Whether the person is indoors or outdoors.
  case activity = 20
  /// A fall detected by the device.
  case fall = 21
  /// Shaking detected by the device.
  case shaking = 22
  /// The device's classification of an electrocardiogram.
  case ecg = 23

  /// The data type with this API name, or nil.
  package init?(name: Span<UInt8>) {
    // By index, because copying a row would increment reference counts.
    for index in dataTypeFacts.indices where name.equals(dataTypeFacts[index].name) {
      self = dataTypeFacts[index].type
      return
    }
    return nil
  }

  /// The data type with this API name, or nil.
  package init?(name: String) { self.init(name: name.utf8Span.span) }

  /// The name in the API, such as `heartRate`.
  package var name: String { facts.name }

  /// The unit shown to clients: BPM, an SI unit or one of UCUM; `lat,lon` and `code` for the rest.
  package var unit: String { facts.unit }

  /// The UCUM code of the unit, nil for positions and codes.
  package var ucum: String? { facts.ucum }

  /// The LOINC codes, the usual one first; empty for types that have only a code of this project.
  package var loincCodes: [String] { facts.loinc }

  /// The kind of this type's values, with their limits.
  package var valueKind: ValueKind { facts.kind }

  /// Whether values are numbers, so that statistics and series exist.
  package var isNumeric: Bool { if case .number = facts.kind { true } else { false } }

  /// Whether values add up over time; simultaneous values of two devices then count once.
  package var isCumulative: Bool { facts.isCumulative }

  /// The plausible values; nil for types without numbers.
  package var plausibleRange: ClosedRange<Double>? {
    if case .number(let range) = facts.kind { range } else { nil }
  }

  private var facts: DataTypeFacts { dataTypeFacts[Int(rawValue) - 1] }
}

extension DataType: CustomStringConvertible {
  /// The name in the API.
  package var description: String { name }
}

/// The kind of a data type's values.
package enum ValueKind: Hashable, Sendable {
  /// A number in a plausible range, both ends included.
  case number(ClosedRange<Double>)
  /// A coordinate, `lat,lon`.
  case position
  /// One of these names, in this order from 0.
  case code([String])
}

/// The fixed properties of a data type.
struct DataTypeFacts: Sendable {
  let type: DataType
  let name: String
  let unit: String
  let ucum: String?
  let loinc: [String]
  let kind: ValueKind
  let isCumulative: Bool

  init(
    _ type: DataType, _ name: String, unit: String, ucum: String? = nil, loinc: [String] = [],
    _ kind: ValueKind, cumulative: Bool = false
  ) {
    self.type = type
    self.name = name
    self.unit = unit
    self.ucum = ucum
    self.loinc = loinc
    self.kind = kind
    isCumulative = cumulative
  }
}

/// One row per data type, in the order of the raw values (checked by a test).
let dataTypeFacts: [DataTypeFacts] = [
  .init(.position, "position", unit: "lat,lon", .position),
  .init(
    .heartRate, "heartRate", unit: "BPM", ucum: "/min", loinc: ["8867-4"], .number(20...250)),
  .init(
    .bloodPressureSystolic, "bloodPressureSystolic", unit: "mmHg", ucum: "mm[Hg]",
    loinc: ["8480-6"], .number(40...300)),
  .init(
    .bloodPressureDiastolic, "bloodPressureDiastolic", unit: "mmHg", ucum: "mm[Hg]",
    loinc: ["8462-4"], .number(20...200)),
  .init(
    .oxygenSaturation, "oxygenSaturation", unit: "%", ucum: "%", loinc: ["2708-6", "59408-5"],
    .number(40...100)),
  .init(
    .respiratoryRate, "respiratoryRate", unit: "/min", ucum: "/min", loinc: ["9279-1"],
    .number(3...80)),
  .init(
    .bodyTemperature, "bodyTemperature", unit: "°C", ucum: "Cel", loinc: ["8310-5"],
    .number(25...45)),
  .init(
    .bloodGlucose, "bloodGlucose", unit: "mg/dL", ucum: "mg/dL", loinc: ["41653-7"],
    .number(10...1000)),
  .init(.weight, "weight", unit: "kg", ucum: "kg", loinc: ["29463-7"], .number(0.5...500)),
  .init(.height, "height", unit: "m", ucum: "m", loinc: ["8302-2"], .number(0.2...2.8)),
  .init(
    .steps, "steps", unit: "steps", ucum: "{steps}", loinc: ["55423-8"], .number(0...100_000),
    cumulative: true),
  .init(
    .walkingRunningDistance, "walkingRunningDistance", unit: "m", ucum: "m",
    .number(0...200_000), cumulative: true),
  .init(.standHours, "standHours", unit: "h", ucum: "h", .number(0...24), cumulative: true),
  .init(
    .activeEnergy, "activeEnergy", unit: "kcal", ucum: "kcal", loinc: ["41981-2"],
    .number(0...20_000), cumulative: true),
  .init(
    .restingEnergy, "restingEnergy", unit: "kcal", ucum: "kcal", .number(0...20_000),
    cumulative: true),
  .init(
    .nutritionEnergy, "nutritionEnergy", unit: "kcal", ucum: "kcal", loinc: ["9052-2"],
    .number(0...20_000), cumulative: true),
  .init(
    .sleepHours, "sleepHours", unit: "h", ucum: "h", loinc: ["93832-4"], .number(0...24),
    cumulative: true),
  .init(.speed, "speed", unit: "m/s", ucum: "m/s", .number(0...100)),
  // Contains the lowest pressure breathed by a person (Everest, 337 hPa) and the highest at sea
  // level (1085 hPa).
  .init(.ambientPressure, "ambientPressure", unit: "hPa", ucum: "hPa", .number(300...1100)),
  .init(.activity, "activity", unit: "code", .code(["indoor", "outdoor"])),
  .init(.fall, "fall", unit: "code", .code(["1"])),
  .init(.shaking, "shaking", unit: "code", .code(["1"])),
  .init(.ecg, "ecg", unit: "code", .code(["sinus", "atrial fibrillation", "inconclusive"])),
]
