import Domain
import Requirements
import Testing

@Suite("checking a path leg by leg", .tags(.RUN_17))
struct RunPathCheckTests {
  private func check(_ points: [(Double, Double)]) throws -> RunPathCheck {
    RunPathCheck(try points.map { try GeoPoint(latitude: $0.0, longitude: $0.1) })
  }

  private func refusal(of points: [GeoPoint]) -> RunPathError? {
    do throws(RunPathError) {
      _ = try RunPath(points)
      return nil
    } catch { return error }
  }

  @Test("the first error of a check is the error of the path", .tags(.RUN_1))
  func agreement() throws {
    let paths: [[(Double, Double)]] = [
      [], [(45, 9)], [(45, 9), (45, 9)], [(45, 9), (45.01, 9)], [(45, 9), (45.2, 9)],
      (0...60).map { (-45 + Double($0) / 12, 9) },
      [(45, 9), (45.0895, 9)], [(45, 9), (45.091, 9)],
    ]
    for points in paths {
      let path = try points.map { try GeoPoint(latitude: $0.0, longitude: $0.1) }
      #expect(RunPathCheck(path).faults.first?.error == refusal(of: path))
    }
  }

  @Test("each long leg is identified by its first point, without repeated points")
  func longLegs() throws {
    let found = try check([(45, 9), (45.2, 9), (45.2, 9), (45.25, 9), (45.5, 9)])
    #expect(found.faults.map(\.leg) == [0, 3])
    #expect(found.faults.allSatisfy { $0.error == .legTooLong })
    #expect(abs(found.length - 55_597) < 100)
  }

  @Test("the leg with which a path becomes too long is reported once")
  func tooLong() throws {
    let found = try check((0...70).map { (-45 + Double($0) / 12, 9) })
    #expect(found.faults.map(\.error) == [.tooLong])
    let leg = try #require(found.faults.first?.leg)
    let before = try check((0...leg).map { (-45 + Double($0) / 12, 9) })
    let with = try check((0...leg + 1).map { (-45 + Double($0) / 12, 9) })
    #expect(before.faults.isEmpty && before.length <= 500_000)
    #expect(with.length > 500_000)
  }

  @Test("20,000 points are measured, and one more is an error of its own")
  func points() throws {
    let many = try (0...20_000).map { number in
      try GeoPoint(latitude: 45 + Double(number % 2) / 100_000, longitude: 9)
    }
    #expect(RunPathCheck(Array(many.dropLast())).faults.isEmpty)
    #expect(RunPathCheck(many).faults.map(\.error) == [.tooManyPoints])
  }

  @Test("the legs along another course are reported, in either direction")
  func along() throws {
    let points = [(45.0, 9.0), (45.0, 9.01), (45.0, 9.01), (45.01, 9.01), (45.01, 9.02)]
    let path = try RunPath(points.map { try GeoPoint(latitude: $0.0, longitude: $0.1) })
    let check = RunPathCheck(path.points)
    func other(_ points: [(Double, Double)]) throws -> Course {
      Course(try RunPath(points.map { try GeoPoint(latitude: $0.0, longitude: $0.1) }))
    }
    func legs(_ other: Course) -> [Int] { check.legs(of: Course(path), along: other) }
    #expect(legs(try other([(45.0, 9.01), (45.0, 9.0)])) == [0])
    #expect(legs(try other([(45.0, 9.01), (45.01, 9.01)])) == [2])
    #expect(
      legs(try other([(45.0, 9.0), (45.0, 9.01), (45.01, 9.01), (45.01, 9.02)])) == [0, 2, 3])
    #expect(legs(try other([(45.02, 9.0), (45.02, 9.01)])) == [])
    // A quarter of the first leg is less than half.
    #expect(legs(try other([(45.0, 9.0), (45.0, 9.0025)])) == [])
  }
}
