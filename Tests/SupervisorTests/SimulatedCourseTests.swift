import Domain
import Foundation
import Operations
import Requirements
import Testing
import trackme_lab

@Suite("Courses of simulated runs, and their arguments")
struct SimulatedCourseTests {
  @Test("the built-in course is two laps of some five kilometres, divided by the scale factor")
  func builtIn() throws {
    let points = try SimulatedCourse.points(of: nil)
    let whole = Course(try SimulatedCourse.path(points, smaller: 1)).length
    #expect((4000.0...6000.0).contains(whole))
    let small = try SimulatedCourse.path(points, smaller: 10)
    #expect(abs(Course(small).length - whole / 10) < whole / 1000)
    #expect(small.start == points[0])
    let moved = try SimulatedCourse.path(points, smaller: 10, moved: (0.01, -0.02))
    #expect(abs(moved.start.latitude - points[0].latitude - 0.01) < 1e-6)
    #expect(abs(moved.start.longitude - points[0].longitude + 0.02) < 1e-6)
  }

  @Test("a course across the antimeridian is scaled on both sides of it")
  func antimeridian() throws {
    let points = try [179.99, 179.999, -179.99].map { try GeoPoint(latitude: 0, longitude: $0) }
    let path = try SimulatedCourse.path(points, smaller: 2)
    #expect(path.points.map(\.longitude) == [179.99, 179.9945, -180])
    let length = Course(path).length
    #expect(abs(length - 1113.2) < 1)
  }

  @Test("an invalid course is refused with a sentence")
  func refused() throws {
    let point = try GeoPoint(latitude: 90, longitude: 0)
    let south = try GeoPoint(latitude: 89.99, longitude: 0)
    #expect(throws: (any Error).self) { try SimulatedCourse.path([], smaller: 1) }
    #expect(throws: (any Error).self) { try SimulatedCourse.path([point, point], smaller: 1) }
    #expect(throws: (any Error).self) {
      try SimulatedCourse.path([point, south], smaller: 1, moved: (1, 0))
    }
    #expect(throws: (any Error).self) { try SimulatedCourse.points(of: "/nowhere/x.gpx") }
  }

  @Test("a course is read from a GPX file; a malformed one is refused with the position")
  func file() throws {
    let path = FileManager.default.temporaryDirectory.path + "/course-\(UUID().uuidString).gpx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let gpx = """
      <gpx version="1.1"><trk><trkseg><trkpt lat="45" lon="9"/><trkpt lat="45.01" lon="9"/>
      </trkseg></trk></gpx>
      """
    try Data(gpx.utf8).write(to: URL(filePath: path))
    #expect(try SimulatedCourse.points(of: path).map(\.text) == ["45,9", "45.01,9"])
    try Data(gpx.replacing("45.01", with: "x").utf8).write(to: URL(filePath: path))
    let refusal = #expect(throws: (any Error).self) { try SimulatedCourse.points(of: path) }
    #expect("\(refusal, default: "")".contains("line 1"))
  }

  @Test("valid arguments are parsed")
  func arguments() throws {
    let usual = try SimulateRunCommand.Order(["run"])
    #expect((usual.runners, usual.speedUp, usual.lead) == (6, 10, 30))
    let all = try SimulateRunCommand.Order([
      "run", "--runners", "200", "--speed-up", "2.5", "--start", "20", "--gpx", "a.gpx",
    ])
    #expect((all.runners, all.speedUp, all.lead, all.file) == (200, 2.5, 20, "a.gpx"))
  }

  @Test(
    "a wrong argument is named with its cause, before the usage",
    arguments: [
      ([], "The first argument must be device or run."),
      (["device"], "The first argument must be device or run."),
      (["run", "--runners"], "--runners needs a value."),
      (["run", "--runners", "1"], "--runners must be a whole number from 2 to 200, not \"1\"."),
      (["run", "--runners", "201"], "--runners must be a whole number from 2 to 200, not \"201"),
      (["run", "--runners", "x"], "--runners must be a whole number from 2 to 200, not \"x\"."),
      (["run", "--speed-up", "0.9"], "--speed-up must be a number from 1 to 100, not \"0.9\"."),
      (["run", "--speed-up", "101"], "--speed-up must be a number from 1 to 100, not \"101\"."),
      (["run", "--speed-up", "nan"], "--speed-up must be a number from 1 to 100, not \"nan\"."),
      (["run", "--start", "19"], "--start must be a whole number from 20 to 3600, not \"19\"."),
      (["run", "--start", "3601"], "--start must be a whole number from 20 to 3600, not \"3601"),
      (["run", "--fast", "1"], "--fast is not a valid argument here."),
    ] as [([String], String)])
  func wrongArguments(_ arguments: [String], _ cause: String) {
    do throws(StartError) {
      _ = try SimulateRunCommand.Order(arguments)
      Issue.record("\(arguments) are accepted")
    } catch {
      #expect(error.description.hasPrefix(cause))
      #expect(error.description.contains("\nusage: trackme-lab simulate run"))
    }
  }
}
