/// One record type in a generated export.
struct ExportSection {
  /// This type's fraction of the bytes of all records.
  let share: Double
  /// The approximate size of a record in bytes.
  let recordBytes: Int
  private let type: StaticString
  private let unit: StaticString
  private let source: Source
  private let value: Value
  private let lasts: ClosedRange<Int>
  private let metadata: StaticString

  /// The device or app that writes the records.
  enum Source {
    case watch
    case phone
    case scale
    case cuff
  }

  /// How a value is generated.
  enum Value {
    case whole(ClosedRange<Int>)
    /// With three decimal places.
    case decimal(ClosedRange<Int>)
    case word(StaticString)
    /// Both values of a blood pressure, at the top level and again in a correlation.
    case bloodPressure
  }

  private init(
    _ type: StaticString, share: Double, bytes: Int, unit: StaticString, _ source: Source,
    _ value: Value, lasts: ClosedRange<Int> = 0...0, metadata: StaticString = ""
  ) {
    self.type = type
    self.share = share
    self.unit = unit
    self.source = source
    self.value = value
    self.lasts = lasts
    self.metadata = metadata
    recordBytes = bytes
  }

  /// Apple writes records type by type, each sorted by time.
  static let all: [ExportSection] = [
    .init(
      "HKQuantityTypeIdentifierBodyMass", share: 0.01, bytes: 270, unit: "kg", .scale,
      .decimal(61_000...66_000)),
    .init(
      "HKQuantityTypeIdentifierHeartRate", share: 0.44, bytes: 470, unit: "count/min", .watch,
      .whole(52...148), metadata: "HKMetadataKeyHeartRateMotionContext"),
    .init(
      "HKQuantityTypeIdentifierOxygenSaturation", share: 0.04, bytes: 480, unit: "%", .watch,
      .decimal(930...1_000), metadata: "HKMetadataKeyBarometricPressure"),
    .init(
      "HKQuantityTypeIdentifierRespiratoryRate", share: 0.03, bytes: 400, unit: "count/min",
      .watch, .decimal(11_000...19_000)),
    .init(
      "HKQuantityTypeIdentifierStepCount", share: 0.13, bytes: 390, unit: "count", .phone,
      .whole(4...900), lasts: 30...600),
    .init(
      "HKQuantityTypeIdentifierDistanceWalkingRunning", share: 0.1, bytes: 400, unit: "km",
      .phone, .decimal(3...700), lasts: 30...600),
    .init(
      "HKQuantityTypeIdentifierBasalEnergyBurned", share: 0.08, bytes: 400, unit: "kcal", .watch,
      .decimal(500...21_000), lasts: 60...900),
    .init(
      "HKQuantityTypeIdentifierActiveEnergyBurned", share: 0.12, bytes: 400, unit: "kcal", .watch,
      .decimal(10...9_000), lasts: 20...300),
    .init(
      "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", share: 0.015, bytes: 400, unit: "ms",
      .watch, .decimal(12_000...110_000), lasts: 60...60),
    .init(
      "HKCategoryTypeIdentifierSleepAnalysis", share: 0.015, bytes: 390, unit: "", .watch,
      .word("HKCategoryValueSleepAnalysisAsleepCore"), lasts: 600...9_000),
    .init(
      "HKCategoryTypeIdentifierAppleStandHour", share: 0.01, bytes: 390, unit: "", .watch,
      .word("HKCategoryValueAppleStandHourStood"), lasts: 3_600...3_600),
    .init("", share: 0.01, bytes: 1_560, unit: "mmHg", .cuff, .bloodPressure),
  ]

  /// Adds a record that begins at `time`, in seconds since 1970.
  func append(
    _ time: Int64, to bytes: inout [UInt8], _ clock: inout ExportClock,
    _ random: inout DeterministicRandom
  ) {
    let end = time + Int64(random.whole(lasts))
    switch value {
    case .bloodPressure:
      let systolic = random.whole(98...152)
      let diastolic = random.whole(58...92)
      appendPressures(systolic, diastolic, time, indent: " ", to: &bytes, &clock)
      bytes.append(" <Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\"")
      appendSource(to: &bytes)
      appendTimes(time, time, to: &bytes, &clock)
      bytes.append(">\n")
      appendPressures(systolic, diastolic, time, indent: "  ", to: &bytes, &clock)
      bytes.append(" </Correlation>\n")
      return
    case .whole(let range):
      begin(type, indent: " ", time, end, to: &bytes, &clock)
      bytes.append(number: random.whole(range))
    case .decimal(let range):
      begin(type, indent: " ", time, end, to: &bytes, &clock)
      bytes.append(thousandths: random.whole(range))
    case .word(let word):
      begin(type, indent: " ", time, end, to: &bytes, &clock)
      bytes.append(word)
    }
    guard metadata.utf8CodeUnitCount > 0 else { return bytes.append("\"/>\n") }
    bytes.append("\">\n  <MetadataEntry key=\"")
    bytes.append(metadata)
    bytes.append("\" value=\"")
    bytes.append(number: random.whole(0...2))
    bytes.append("\"/>\n </Record>\n")
  }

  private func appendPressures(
    _ systolic: Int, _ diastolic: Int, _ time: Int64, indent: StaticString,
    to bytes: inout [UInt8], _ clock: inout ExportClock
  ) {
    let systolicType: StaticString = "HKQuantityTypeIdentifierBloodPressureSystolic"
    begin(systolicType, indent: indent, time, time, to: &bytes, &clock)
    bytes.append(number: systolic)
    bytes.append("\"/>\n")
    let diastolicType: StaticString = "HKQuantityTypeIdentifierBloodPressureDiastolic"
    begin(diastolicType, indent: indent, time, time, to: &bytes, &clock)
    bytes.append(number: diastolic)
    bytes.append("\"/>\n")
  }

  /// Writes a record up to its value.
  private func begin(
    _ type: StaticString, indent: StaticString, _ start: Int64, _ end: Int64,
    to bytes: inout [UInt8], _ clock: inout ExportClock
  ) {
    bytes.append(indent)
    bytes.append("<Record type=\"")
    bytes.append(type)
    bytes.append("\"")
    appendSource(to: &bytes)
    if unit.utf8CodeUnitCount > 0 {
      bytes.append(" unit=\"")
      bytes.append(unit)
      bytes.append("\"")
    }
    appendTimes(start, end, to: &bytes, &clock)
    bytes.append(" value=\"")
  }

  private func appendTimes(
    _ start: Int64, _ end: Int64, to bytes: inout [UInt8], _ clock: inout ExportClock
  ) {
    bytes.append(" creationDate=\"")
    clock.append(end, to: &bytes)
    bytes.append("\" startDate=\"")
    clock.append(start, to: &bytes)
    bytes.append("\" endDate=\"")
    clock.append(end, to: &bytes)
    bytes.append("\"")
  }

  private func appendSource(to bytes: inout [UInt8]) {
    switch source {
    case .watch:
      bytes.append(
        " sourceName=\"Giulia’s Apple\u{A0}Watch\" sourceVersion=\"10.3.1\" device=\"&lt;&lt;"
          + "HKDevice: 0x28142c5a0&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, "
          + "hardware:Watch6,7, software:10.3.1&gt;\"")
    case .phone:
      bytes.append(
        " sourceName=\"Giulia’s iPhone\" sourceVersion=\"17.3\" device=\"&lt;&lt;"
          + "HKDevice: 0x28142c640&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, "
          + "hardware:iPhone14,5, software:17.3&gt;\"")
    case .scale: bytes.append(" sourceName=\"Bilancia &amp; Co\" sourceVersion=\"5410\"")
    case .cuff: bytes.append(" sourceName=\"Pressione\" sourceVersion=\"2\"")
    }
  }
}
