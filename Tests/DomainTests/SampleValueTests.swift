import Domain
import Requirements
import Support
import Testing
import Time

@Suite("samples and their values")
struct SampleValueTests {
  static let numeric = DataType.allCases.filter(\.isNumeric)

  @Test("every data type of the contract has its own name, unit and number", .tags(.DAT_2))
  func table() {
    let names = """
      position heartRate bloodPressureSystolic bloodPressureDiastolic oxygenSaturation \
      respiratoryRate bodyTemperature bloodGlucose weight height steps walkingRunningDistance \
      standHours activeEnergy restingEnergy nutritionEnergy sleepHours speed ambientPressure \
      activity fall shaking ecg
      """.split(separator: " ").map(String.init)
    #expect(DataType.allCases.map(\.name) == names)
    #expect(DataType.allCases.map { Int($0.rawValue) } == Array(1...23))
    for type in DataType.allCases {
      #expect(DataType(name: type.name) == type)
      #expect(!type.unit.isEmpty)
      #expect((type.ucum != nil) == type.isNumeric)
    }
    #expect(DataType(name: "heartrate") == nil)
    #expect(DataType(name: "") == nil)
    #expect(DataType.heartRate.loincCodes == ["8867-4"])
    #expect(DataType.steps.isCumulative && !DataType.heartRate.isCumulative)
  }

  @Test(
    "both ends of a plausible range are accepted, the next numbers are not", .tags(.DAT_2),
    arguments: numeric)
  func ranges(_ type: DataType) throws {
    let range = try #require(type.plausibleRange)
    for bound in [range.lowerBound, range.upperBound] {
      #expect(try SampleValue("\(bound)", of: type) == .number(bound))
      #expect(try SampleValue(bound, of: type) == .number(bound))
    }
    for outside in [range.lowerBound.nextDown, range.upperBound.nextUp] {
      #expect(throws: SampleValueError.outOfRange(type)) { try SampleValue("\(outside)", of: type) }
      #expect(throws: SampleValueError.outOfRange(type)) { try SampleValue(outside, of: type) }
    }
  }

  @Test(
    "notANumber: only JSON's numbers are numbers", .tags(.DAT_2),
    arguments: [
      "", "-", "+72", "072", "72.", ".5", "7e", "7e+", "NaN", "Infinity", "0x48", "72 ", " 72",
      "seventy", "7,2", "72\u{0}", "--1", "1e999",
    ])
  func notANumber(_ text: String) {
    #expect(throws: SampleValueError.notANumber(.steps)) { try SampleValue(text, of: .steps) }
  }

  @Test("numbers are parsed as by the standard library")
  func sameAsStandardLibrary() throws {
    var random = SeededRandom()
    for _ in 0..<5000 {
      let text =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: "\(Double.random(in: 0...100_000, using: &random))"
        case 1: "\(Int.random(in: 0...100_000, using: &random))"
        case 2:
          "\(Int.random(in: 0...9999, using: &random))."
            + "\(UInt64.random(in: 0...(.max), using: &random))"
        default:
          "\(Int.random(in: 0...9, using: &random))e-\(Int.random(in: 0...30, using: &random))"
        }
      #expect(try SampleValue(text, of: .steps).number == Double(text), "\(text)")
    }
    #expect(try SampleValue("-0", of: .steps) == .number(0))
    #expect(try SampleValue("-0", of: .steps).number?.sign == .plus)
    #expect(try SampleValue("1e-400", of: .steps) == .number(0))
  }

  @Test("a number is written without trailing zeros and reads back")
  func written() throws {
    for text in ["72", "72.5", "0", "36.65"] {
      #expect(try SampleValue(text, of: .steps).text(of: .steps) == text)
    }
  }

  @Test("codes are the names of the contract", .tags(.DAT_2))
  func codes() throws {
    #expect(try SampleValue("indoor", of: .activity) == .code(0))
    #expect(try SampleValue("outdoor", of: .activity).text(of: .activity) == "outdoor")
    #expect(try SampleValue("atrial fibrillation", of: .ecg) == .code(1))
    #expect(try SampleValue("1", of: .fall) == .code(0))
    #expect(try SampleValue(1, of: .shaking) == .code(0))
    #expect(throws: SampleValueError.unknownCode(.fall)) { try SampleValue("0", of: .fall) }
    #expect(throws: SampleValueError.unknownCode(.fall)) { try SampleValue(2, of: .fall) }
    #expect(throws: SampleValueError.unknownCode(.activity)) { try SampleValue(1, of: .activity) }
  }

  @Test("a position is lat,lon within the earth and is written as it was parsed", .tags(.DAT_2))
  func positions() throws {
    for text in ["45.4781,9.2273", "-90,-180", "90,180", "0,0", "-0.0000001,0.5", "1.25,-100"] {
      #expect(try GeoPoint(text).text == text)
      #expect(try SampleValue(text, of: .position).text(of: .position) == text)
    }
    #expect(try GeoPoint("45.47810000,9.22730004").text == "45.4781,9.2273")
    #expect(try GeoPoint("45.00000005,9").text == "45.0000001,9")
    #expect(try GeoPoint(latitude: 45.4781, longitude: 9.2273) == GeoPoint("45.4781,9.2273"))
    for text in ["90.0000001,0", "-90.1,0", "0,180.0000001", "91,0", "0,-181", "999,0"] {
      #expect(throws: GeoPointError.outOfRange) { try GeoPoint(text) }
    }
    for text in [
      "", ",", "45", "45,", ",9", "45, 9", " 45,9", "+45,9", "45.,9", ".5,9", "4e1,9", "45,9,1",
      "1000,0", "45;9", "NaN,0", "45.1.2,9", "--1,0",
    ] {
      #expect(throws: GeoPointError.malformed) { try GeoPoint(text) }
    }
    #expect(throws: SampleValueError.notACoordinate(.outOfRange)) {
      try SampleValue("91,0", of: .position)
    }
    #expect(throws: GeoPointError.outOfRange) { try GeoPoint(latitude: .nan, longitude: 0) }
  }

  @Test("samples are neither from before 1900 nor more than five minutes ahead", .tags(.DAT_9))
  func times() throws {
    let now = try Instant("2024-02-06T14:30:00Z")
    func sample(_ time: Instant) throws -> Sample {
      try Sample(type: .heartRate, time: time, value: .number(72), now: now)
    }
    let first = try Instant("1900-01-01T00:00:00Z")
    #expect(try sample(first).time == first)
    #expect(throws: SampleTimeError.tooOld) { try sample(first.adding(milliseconds: -1)) }
    let last = now.adding(seconds: 300)
    #expect(try sample(last).time == last)
    #expect(throws: SampleTimeError.tooFarAhead) { try sample(last.adding(milliseconds: 1)) }
  }

  @Test("systolic exceeds diastolic where a batch has both at one time", .tags(.DAT_2))
  func bloodPressure() {
    func sample(_ type: DataType, _ milliseconds: Int64, _ value: Double) -> Sample {
      Sample(
        stored: type, time: Instant(millisecondsSince1970: milliseconds), value: .number(value))
    }
    let systolic = sample(.bloodPressureSystolic, 0, 120)
    #expect(
      BloodPressureRule.firstViolation(
        in: [systolic, sample(.bloodPressureDiastolic, 0, 119)]) == nil)
    #expect(
      BloodPressureRule.firstViolation(in: [systolic, sample(.bloodPressureDiastolic, 0, 120)]) == 1
    )
    #expect(
      BloodPressureRule.firstViolation(in: [sample(.bloodPressureDiastolic, 0, 130), systolic]) == 1
    )
    #expect(
      BloodPressureRule.firstViolation(in: [systolic, sample(.bloodPressureDiastolic, 1, 130)])
        == nil)
  }

  @Test("a set of data types counts, compares and iterates in order")
  func sets() {
    let set = DataTypeSet([.weight, .position, .weight])
    #expect(set.count == 2)
    #expect(Array(set) == [.position, .weight])
    #expect(DataTypeSet(distinct: [.weight, .weight]) == nil)
    #expect(DataTypeSet(bits: .max) == .all)
    #expect(Array(DataTypeSet.all) == DataType.allCases)
    #expect(set.isSubset(of: .all) && !DataTypeSet.all.isSubset(of: set))
    #expect(set.subtracting(DataTypeSet([.weight])) == DataTypeSet([.position]))
  }
}
