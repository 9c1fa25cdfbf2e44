import Domain
import FuzzTargets
import Requirements
import Testing
import Time

@Suite("An Apple Health export, as XML")
struct ImportDocumentTests {
  static let declaration = """
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 14, ]> "and so on' -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    ]>

    """

  static func document(_ body: String, declaration: String = declaration) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      \(declaration)<HealthData locale="it_IT">
      \(body)
      </HealthData>
      """.utf8)
  }

  static func record(
    _ type: String, _ unit: String, _ value: String, at time: String = "14:30:00 +0100"
  ) -> String {
    """
    <Record type="HK\(type)" sourceName="Anna’s W" unit="\(unit)" \
    startDate="2024-02-06 \(time)" endDate="2024-02-06 15:00:00 +0100" value="\(value)"/>
    """
  }

  static func read(_ body: String) -> ReadExport {
    readExport(document(body), inPiecesOf: 4096)
  }

  @Test("records become samples in our units", .tags(.DAT_6))
  func units() throws {
    let export = Self.read(
      Self.record("QuantityTypeIdentifierHeartRate", "count/min", "62")
        + Self.record("QuantityTypeIdentifierDistanceWalkingRunning", "km", "1.5")
        + Self.record("QuantityTypeIdentifierOxygenSaturation", "%", "0.97")
        + Self.record(
          "CategoryTypeIdentifierSleepAnalysis", "", "HKCategoryValueSleepAnalysisAsleep"))
    #expect(export.fault == nil)
    #expect(
      export.samples.map { "\($0.type) \($0.value.text(of: $0.type))" } == [
        "heartRate 62", "walkingRunningDistance 1500", "oxygenSaturation 97", "sleepHours 0.5",
      ])
    #expect(export.samples.allSatisfy { $0.time.description.hasPrefix("2024-02-06T13:30:00") })
  }

  @Test("records of unknown types and implausible ones are counted by type", .tags(.DAT_6))
  func skipped() {
    let export = Self.read(
      Self.record("QuantityTypeIdentifierHeartRateVariabilitySDNN", "ms", "40")
        + Self.record("QuantityTypeIdentifierHeartRate", "count/min", "900")
        + Self.record("QuantityTypeIdentifierHeartRate", "furlong", "60")
        + Self.record("QuantityTypeIdentifierHeartRate", "count/min", "60", at: "25:00:00 +0100")
        + "<Record type=\"è &lt;b&gt;\" startDate=\"\"/>")
    #expect(export.fault == nil)
    #expect(export.samples.isEmpty)
    #expect(
      export.skipped == [
        "HKQuantityTypeIdentifierHeartRateVariabilitySDNN": 1,
        "HKQuantityTypeIdentifierHeartRate": 3, "other": 1,
      ])
  }

  @Test("records inside a correlation, which Apple writes twice, count once", .tags(.DAT_6))
  func correlation() {
    let record = Self.record("QuantityTypeIdentifierBloodPressureSystolic", "mmHg", "120")
    let export = Self.read(record + "<Correlation type=\"x\">\(record)</Correlation>")
    #expect(export.samples.count == 1)
  }

  @Test("a document reads the same in chunks of any size", .tags(.DAT_6))
  func everySplit() {
    let bytes = Self.document(
      Self.record("QuantityTypeIdentifierHeartRate", "count/min", "62")
        + "<!-- é --><Workout/>" + Self.record("QuantityTypeIdentifierStepCount", "count", "9"))
    let whole = readExport(bytes, inPiecesOf: bytes.count)
    #expect(whole.fault == nil && whole.samples.count == 2)
    for count in 1...bytes.count {
      #expect(readExport(bytes, inPiecesOf: count) == whole, "in pieces of \(count)")
    }
  }

  @Test(
    "a declaration that is not well-formed, as of iOS 16, does no harm", .tags(.DAT_6),
    arguments: [
      "<!ELEMENT WorkoutEvent EMPTY\n<!ATTLIST WorkoutEvent\n type CDATA #REQUIRED\n>\n",
      "<!ATTLIST Audiogram\n startDate CDATA #REQUIRED\n>\n device CDATA #IMPLIED\n>\n",
      "<!ELEMENT VisionPrescription ((RightEye|LeftEye)*>\n", "<!ATTLIST Record ]> <!-- ]> -->\n",
      "<!ATTLIST Record type CDATA \"]>\" >\n<?note ]> ?>\n", "",
    ])
  func faultyDeclaration(_ text: String) {
    // The fourth ends in the middle, so that the rest of it is text before the root.
    let declaration = "<!DOCTYPE HealthData [\n\(text)]>\n"
    let record = Self.record("QuantityTypeIdentifierHeartRate", "count/min", "62")
    let export = readExport(
      Self.document(record, declaration: declaration), inPiecesOf: 64)
    if text.hasPrefix("<!ATTLIST Record ]>") {
      #expect(export.fault != nil)
    } else {
      #expect(export.fault == nil)
      #expect(export.samples.count == 1)
    }
  }

  @Test("vertical tabs, which iOS 16 writes in names, are read as spaces", .tags(.DAT_6))
  func verticalTab() {
    let record = Self.record("QuantityTypeIdentifierHeartRate", "count/min", "62")
    let export = Self.read(record.replacing("Anna", with: "An\u{0B}na"))
    #expect(export.fault == nil && export.samples.count == 1)
  }
}
