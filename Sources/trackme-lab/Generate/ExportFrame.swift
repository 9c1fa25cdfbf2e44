/// The text before and after the records of a generated export.
enum ExportFrame {
  /// The time of the export: 2026-03-01 08:00:00 +0100.
  static let exportedAt: Int64 = 1_772_348_400

  /// The approximate size in bytes.
  static let bytes = 6_000

  static func appendBeginning(to bytes: inout [UInt8], _ clock: inout ExportClock) {
    bytes.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n")
    bytes.append("<!-- HealthKit Export Version: 14 -->\n")
    for declaration in declarations { append(declaration, to: &bytes) }
    bytes.append("]>\n<HealthData locale=\"it_IT\">\n <ExportDate value=\"")
    clock.append(exportedAt, to: &bytes)
    bytes.append("\"/>\n <Me HKCharacteristicTypeIdentifierDateOfBirth=\"1990-04-12\"")
    bytes.append(" HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexFemale\"")
    bytes.append(" HKCharacteristicTypeIdentifierBloodType=\"HKBloodTypeNotSet\"")
    bytes.append(
      " HKCharacteristicTypeIdentifierFitzpatrickSkinType=\"HKFitzpatrickSkinTypeNotSet\"")
    bytes.append(
      " HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse=\"None\"/>\n")
  }

  static func appendEnd(to bytes: inout [UInt8], _ clock: inout ExportClock) {
    bytes.append(
      " <Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" duration=\"31.2\""
        + " durationUnit=\"min\" sourceName=\"Giulia’s Apple\u{A0}Watch\" creationDate=\"")
    clock.append(exportedAt - 80_000, to: &bytes)
    bytes.append("\" startDate=\"")
    clock.append(exportedAt - 82_000, to: &bytes)
    bytes.append("\" endDate=\"")
    clock.append(exportedAt - 80_000, to: &bytes)
    bytes.append("\">\n  <WorkoutRoute sourceName=\"Giulia’s Apple\u{A0}Watch\" startDate=\"")
    clock.append(exportedAt - 82_000, to: &bytes)
    bytes.append("\" endDate=\"")
    clock.append(exportedAt - 80_000, to: &bytes)
    bytes.append("\">\n   <FileReference path=\"/workout-routes/route_2026-02-28.gpx\"/>\n")
    bytes.append("  </WorkoutRoute>\n </Workout>\n")
    bytes.append(
      " <ActivitySummary dateComponents=\"2026-02-28\" activeEnergyBurned=\"412.5\""
        + " activeEnergyBurnedGoal=\"450\" activeEnergyBurnedUnit=\"kcal\""
        + " appleExerciseTime=\"38\" appleExerciseTimeGoal=\"30\" appleStandHours=\"11\""
        + " appleStandHoursGoal=\"12\"/>\n")
    bytes.append("</HealthData>\n")
  }

  private static func append(_ declaration: Declaration, to bytes: inout [UInt8]) {
    bytes.append("<!ELEMENT \(declaration.element) \(declaration.content)>\n")
    guard !declaration.attributes.isEmpty else { return }
    bytes.append("<!ATTLIST \(declaration.element)\n")
    for attribute in declaration.attributes.split(separator: " ") {
      let isOptional = attribute.hasSuffix("?")
      let name = isOptional ? attribute.dropLast() : attribute
      bytes.append("  \(name) CDATA \(isOptional ? "#IMPLIED" : "#REQUIRED")\n")
    }
    bytes.append(">\n")
  }

  /// An element of Apple's document type declaration; a name with `?` is an optional attribute.
  private struct Declaration {
    let element: String
    let content: String
    let attributes: String

    init(_ element: String, _ content: String, _ attributes: String = "") {
      self.element = element
      self.content = content
      self.attributes = attributes
    }
  }

  private static let declarations: [Declaration] = [
    .init(
      "HealthData",
      "(ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord|Audiogram"
        + "|VisionPrescription)*)", "locale"),
    .init("ExportDate", "EMPTY", "value"),
    .init(
      "Me", "EMPTY",
      "HKCharacteristicTypeIdentifierDateOfBirth HKCharacteristicTypeIdentifierBiologicalSex "
        + "HKCharacteristicTypeIdentifierBloodType "
        + "HKCharacteristicTypeIdentifierFitzpatrickSkinType "
        + "HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse"),
    .init(
      "Record", "((MetadataEntry|HeartRateVariabilityMetadataList)*)",
      "type unit? value? \(origin)"),
    .init("Correlation", "((MetadataEntry|Record)*)", "type \(origin)"),
    .init(
      "Workout", "((MetadataEntry|WorkoutEvent|WorkoutRoute|WorkoutStatistics)*)",
      "workoutActivityType duration? durationUnit? totalDistance? totalDistanceUnit? "
        + "totalEnergyBurned? totalEnergyBurnedUnit? \(origin)"),
    .init(
      "WorkoutActivity", "((MetadataEntry)*)",
      "uuid startDate endDate? duration? durationUnit?"),
    .init("WorkoutEvent", "((MetadataEntry)*)", "type date duration? durationUnit?"),
    .init(
      "WorkoutStatistics", "EMPTY",
      "type startDate endDate average? minimum? maximum? sum? unit?"),
    .init("WorkoutRoute", "((MetadataEntry|FileReference)*)", origin),
    .init("FileReference", "EMPTY", "path"),
    .init(
      "ActivitySummary", "EMPTY",
      "dateComponents? activeEnergyBurned? activeEnergyBurnedGoal? activeEnergyBurnedUnit? "
        + "appleMoveTime? appleMoveTimeGoal? appleExerciseTime? appleExerciseTimeGoal? "
        + "appleStandHours? appleStandHoursGoal?"),
    .init("MetadataEntry", "EMPTY", "key value"),
    .init("HeartRateVariabilityMetadataList", "(InstantaneousBeatsPerMinute*)"),
    .init("InstantaneousBeatsPerMinute", "EMPTY", "bpm time"),
    .init(
      "ClinicalRecord", "EMPTY",
      "type identifier sourceName sourceURL fhirVersion receivedDate resourceFilePath"),
    .init("Audiogram", "((MetadataEntry|SensitivityPoint)*)", "type \(origin)"),
    .init(
      "SensitivityPoint", "EMPTY",
      "frequencyValue frequencyUnit leftEarValue? leftEarUnit? rightEarValue? rightEarUnit?"),
    .init(
      "VisionPrescription", "((RightEye|LeftEye|Attachment|MetadataEntry)*)",
      "type dateIssued expirationDate? brand?"),
    .init("RightEye", "EMPTY", eye),
    .init("LeftEye", "EMPTY", eye),
    .init("Attachment", "EMPTY", "identifier?"),
  ]

  private static let origin =
    "sourceName sourceVersion? device? creationDate? startDate endDate"
  private static let eye =
    "sphere? sphereUnit? cylinder? cylinderUnit? axis? axisUnit? add? addUnit? vertex? "
    + "vertexUnit? prismAmount? prismAmountUnit? prismAngle? prismAngleUnit? farPD? farPDUnit? "
    + "nearPD? nearPDUnit? baseCurve? baseCurveUnit? diameter? diameterUnit?"
}
