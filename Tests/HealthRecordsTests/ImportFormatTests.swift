import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import FuzzTargets
import HealthRecords
import Requirements
import Testing
import Zip
import trackme_lab

/// The chunks of a generated file.
private func pieces(_ generated: any GeneratedFile) -> [[UInt8]] {
  var generated = generated
  var pieces: [[UInt8]] = []
  while let piece = generated.next() { pieces.append(piece) }
  return pieces
}

extension ReadExport {
  fileprivate var texts: [String] {
    samples.map { "\($0.type) \($0.value.text(of: $0.type)) \($0.time)" }
  }
}

@Suite("Health Auto Export files")
struct HealthAutoExportTests {
  private static func read(_ text: String, inPiecesOf count: Int = 4_096) -> ReadExport {
    readExport(Array(text.utf8), .healthAutoExport, inPiecesOf: count)
  }

  private static func metric(_ name: String, _ units: String, _ points: String) -> String {
    """
    {"data":{"workouts":[{"route":[[1,2]]}],"metrics":[\
    {"units":"\(units)","data":[\(points)],"name":"\(name)"}]}}
    """
  }

  @Test(
    "metrics become samples in our units, wherever their name appears", .tags(.DAT_6),
    arguments: [
      ("heart_rate", #"count\/min"#, #""Min":60,"Avg":62.5,"Max":70"#, "heartRate 62.5"),
      ("step_count", "count", #""qty":412"#, "steps 412"),
      ("active_energy", "kJ", #""qty":418.4"#, "activeEnergy 100"),
      ("walking_running_distance", "mi", #""qty":1"#, "walkingRunningDistance 1609.344"),
      ("weight_body_mass", "lb", #""qty":154.3"#, "weight 69.9893"),
      ("blood_oxygen_saturation", "%", #""qty":97"#, "oxygenSaturation 97"),
      ("sleep_analysis", "hr", #""asleep":0,"totalSleep":7.25,"inBed":8"#, "sleepHours 7.25"),
      ("apple_stand_hour", "count", #""qty":1"#, "standHours 1"),
      ("body_temperature", "degF", #""qty":98.6"#, "bodyTemperature 37"),
    ])
  func units(_ name: String, _ units: String, _ value: String, _ expected: String) {
    let point = "{\"date\":\"2024-02-06 14:30:00 -0800\",\(value)}"
    let after = Self.read(Self.metric(name, units, point))
    #expect(after.fault == nil)
    #expect(after.texts == ["\(expected) 2024-02-06T22:30:00Z"])
    let before = Self.read(
      "{\"data\":{\"metrics\":[{\"name\":\"\(name)\",\"units\":\"\(units)\",\"data\":[\(point)]}]}}"
    )
    #expect(before == after)
  }

  @Test("a blood pressure is two samples, an impossible one none", .tags(.DAT_6))
  func bloodPressure() {
    let date = #""date":"2024-02-06 14:30:00 +0000""#
    let export = Self.read(
      Self.metric(
        "blood_pressure", "mmHg",
        "{\(date),\"systolic\":120,\"diastolic\":80},{\(date),\"systolic\":80,\"diastolic\":80}"))
    #expect(export.samples.map(\.type) == [.bloodPressureSystolic, .bloodPressureDiastolic])
    #expect(export.skipped == ["blood_pressure": 1])
  }

  @Test("unknown metrics and implausible points are counted by name", .tags(.DAT_6))
  func skipped() {
    let date = #""date":"2024-02-06 14:30:00 +0000""#
    let unknown = Self.read(
      Self.metric("vo2_max", "ml", "{\(date),\"qty\":41},{\(date),\"qty\":42}"))
    #expect(unknown.skipped == ["vo2_max": 2])
    let points = "{\(date),\"qty\":900},{\"qty\":60},{\(date)},{\"date\":\"now\",\"qty\":60}"
    let implausible = Self.read(Self.metric("heart_rate", "count/min", points))
    #expect(implausible.fault == nil && implausible.samples.isEmpty)
    #expect(implausible.skipped == ["heart_rate": 4])
    #expect(
      Self.read(Self.metric("heart_rate", "furlong", "{\(date),\"qty\":60}")).skipped.count == 1)
  }

  @Test(
    "a malformed file is refused with line and column", .tags(.DAT_6),
    arguments: [
      ("{\"data\":{\"metrics\":[{]}}", 1, 22), ("{\"data\":\n {\"metrics\":[tru]}}", 2, 14),
      ("{\"data\":{\"metrics\":[]}}\n x", 2, 2), ("[]", 1, 1), ("{\"data\":{}}", 1, 11),
      ("{\"data\":{\"metrics\":[\"\\ud800\"]}}", 1, 21), ("{\"a\":1e999}", 1, 6),
      ("{\"data\":{\"metrics\":[{}]}}", 1, 22), ("{\"è\":\u{1}}", 1, 6), ("{\"a\" 1}", 1, 6),
    ])
  func malformed(_ text: String, _ line: Int, _ column: Int) {
    let fault = Self.read(text).fault
    #expect(fault?.line == line && fault?.column == column, "\(String(describing: fault))")
    #expect(Self.read(text, inPiecesOf: 1).fault == fault)
  }

  @Test("text that is truncated, or nested deeper than 32, is refused", .tags(.DAT_6))
  func limits() {
    let whole = Self.metric("step_count", "count", "")
    for count in 0..<whole.utf8.count {
      let cut = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
      #expect(Self.read(cut).fault != nil, "\(count) bytes")
    }
    func nested(_ depth: Int) -> String {
      let inner =
        String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      return "{\"data\":{\"metrics\":[]},\"a\":\(inner)}"
    }
    #expect(Self.read(nested(32)).fault == nil)
    #expect(Self.read(nested(33)).fault != nil)
    let text = { (count: Int) in
      "{\"a\":\"" + String(repeating: "x", count: count) + "\",\"data\":{\"metrics\":[]}}"
    }
    #expect(Self.read(text(500), inPiecesOf: 64).fault == nil)
    #expect(Self.read(text(200_000)).fault != nil)
  }

  @Test("a generated file is imported completely, again as duplicates, and in a zip", .tags(.DAT_6))
  func generated() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let file = pieces(HealthAutoExportFile(bytes: 600_000, seed: 3))
      let first = try await test.wholeImport(file, .healthAutoExport, as: account)
      let samples = try #require(first.object["samples"] as? Int)
      #expect(first.state == "done", "\(first.object)")
      #expect(samples > 5_000)
      #expect(first.importCounts == [samples, samples, 0, 0, 0, 0])
      #expect(first.object["skipped"] as? [String: Int] == ["vo2_max": 1])
      let types = try await test.samples.availableTypes(of: account)
      #expect(
        types
          == DataTypeSet([
            .heartRate, .steps, .weight, .bloodPressureSystolic, .bloodPressureDiastolic,
          ]))
      let zip = try #require(ZipWriter(year: 2026, month: 3, day: 1))
      var zipped = [zip.begin("HealthAutoExport.json")] + file.map { zip.write($0) }
      zipped += [zip.endEntry(), zip.end()]
      let again = try await test.wholeImport(
        zipped.filter { !$0.isEmpty }, .healthAutoExport, as: account)
      #expect(again.importCounts == [samples, 0, samples, 0, 0, 0])
      let broken = try await test.wholeImport(
        Array(file.dropLast()) + [Array("]".utf8)], .healthAutoExport, as: account)
      #expect(broken.state == "failed")
    }
  }
}

@Suite("GPX tracks")
struct GPXTests {
  private static func read(_ body: String, root: String = "gpx", before: String = "") -> ReadExport
  {
    let text = "<?xml version=\"1.0\"?>\(before)<\(root) version=\"1.1\">\(body)</\(root)>"
    let whole = readExport(Array(text.utf8), .gpx, inPiecesOf: 4_096)
    #expect(readExport(Array(text.utf8), .gpx, inPiecesOf: 3) == whole)
    return whole
  }

  private static func point(_ inside: String, lat: String = "45.4781", lon: String = "9.2273")
    -> String
  {
    "<trk><trkseg><trkpt lat=\"\(lat)\" lon=\"\(lon)\">\(inside)</trkpt></trkseg></trk>"
  }

  @Test("points with a time become positions, with a heart rate also that", .tags(.DAT_6))
  func points() {
    let hr = """
      <extensions><ns3:TrackPointExtension><ns3:hr> 121
      </ns3:hr></ns3:TrackPointExtension></extensions>
      """
    let time = "<ele>1</ele><time>2024-02-06T14:30:00.500+01:00</time>"
    let export = Self.read(
      "<metadata><time>2020-01-01T00:00:00Z</time></metadata><wpt lat=\"1\" lon=\"2\"/>"
        + Self.point(time + hr))
    #expect(export.fault == nil && export.skipped.isEmpty)
    #expect(
      export.texts == [
        "position 45.4781,9.2273 2024-02-06T13:30:00.500Z",
        "heartRate 121 2024-02-06T13:30:00.500Z",
      ])
  }

  @Test("points without a time or with an impossible value are counted", .tags(.DAT_6))
  func skipped() {
    let time = "<time>2024-02-06T14:30:00Z</time>"
    let hr = "<extensions><hr>999</hr></extensions>"
    #expect(Self.read(Self.point("")).skipped == ["trkpt": 1])
    #expect(Self.read(Self.point("<time>2024-02-06T14:30:00</time>")).skipped == ["trkpt": 1])
    #expect(Self.read(Self.point(time, lat: "91")).skipped == ["trkpt": 1])
    let export = Self.read(Self.point(time + hr))
    #expect(export.skipped == ["hr": 1] && export.samples.map(\.type) == [.position])
  }

  @Test("a file that is not GPX or declares an entity is refused with its position", .tags(.DAT_6))
  func refused() {
    let time = "<time>2024-02-06T14:30:00Z</time>"
    #expect(Self.read(Self.point(time), root: "kml").fault?.line == 1)
    #expect(Self.read("<trk><trkpt lat=\"1\"></trkpt></trk>").fault != nil)
    for declaration in [
      "<!DOCTYPE gpx [<!ENTITY a \"b\">]>", "<!DOCTYPE gpx SYSTEM \"http://x/y.dtd\">",
      "<!DOCTYPE gpx [<!ENTITY % a SYSTEM \"file:///etc/passwd\"> %a;]>",
    ] {
      #expect(Self.read(Self.point(time), before: declaration).fault?.line == 1)
    }
    #expect(Self.read(Self.point(time + "&a;")).fault != nil)
    #expect(Self.read("<trk>").fault != nil)
  }

  @Test("a generated track is imported completely, and so is every track of a zip", .tags(.DAT_6))
  func generated() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let file = pieces(GPXTrack(bytes: 400_000, seed: 5))
      let first = try await test.wholeImport(file, .gpx, as: account)
      let samples = try #require(first.object["samples"] as? Int)
      #expect(first.state == "done" && samples > 3_000, "\(first.object)")
      #expect(first.importCounts == [samples, samples, 0, 0, 0, 0])
      let zip = try #require(ZipWriter(year: 2026, month: 3, day: 1))
      var zipped = [zip.begin("workout-routes/route.GPX")] + file.map { zip.write($0) }
      zipped += [zip.endEntry(), zip.end()]
      let again = try await test.wholeImport(zipped.filter { !$0.isEmpty }, .gpx, as: account)
      #expect(again.importCounts == [samples, 0, samples, 0, 0, 0])
      let other = try await test.wholeImport(zipped.filter { !$0.isEmpty }, as: account)
      #expect(other.state == "failed")
    }
  }
}
