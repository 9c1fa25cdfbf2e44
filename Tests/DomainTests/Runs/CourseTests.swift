import Domain
import Foundation
import Requirements
import Support
import Testing

@Suite("paths and courses")
struct CourseTests {
  private func path(_ points: [GeoPoint]) throws(RunPathError) -> RunPath { try RunPath(points) }

  @Test("a path has two distinct points", .tags(.RUN_1))
  func distinct() throws {
    #expect(throws: RunPathError.tooFewPoints) { try path([]) }
    #expect(throws: RunPathError.tooFewPoints) { try path([.at(45, 9)]) }
    #expect(throws: RunPathError.tooFewPoints) {
      try path(Array(repeating: .at(45, 9), count: 20_000))
    }
    #expect(try path([.at(45, 9), .at(45, 9), .at(45.001, 9)]).points.count == 3)
  }

  @Test(
    "one position is one point, whatever its longitude", .tags(.RUN_1),
    arguments: [
      [GeoPoint.at(90, 0), .at(90, 120)], [.at(-90, 5), .at(-90, -5)],
      [.at(12, 180), .at(12, -180)],
      // Back and forth by less than a centimetre at a pole.
      Array(repeating: [GeoPoint.at(89.9999, 0), .at(89.9999, 0.0001)], count: 900).flatMap { $0 },
    ])
  func onePlace(points: [GeoPoint]) {
    #expect(throws: RunPathError.tooFewPoints) { try path(points) }
  }

  @Test("a leg of 10 km is valid, a longer one is not", .tags(.RUN_1))
  func legs() throws {
    let plan = Plan()
    #expect(try Course(path([plan.centre, plan.position(0, 9_999)])).length > 9_990)
    #expect(throws: RunPathError.legTooLong) {
      try path([plan.centre, plan.position(0, 1000), plan.position(0, 11_010)])
    }
    #expect(throws: RunPathError.legTooLong) { try path([.at(0, 0), .at(0, 180)]) }
    #expect(throws: RunPathError.legTooLong) { try path([.at(90, 0), .at(-90, 0)]) }
  }

  @Test("a path of 500 km is valid, a longer one is not", .tags(.RUN_1))
  func length() throws {
    // Back and forth over 9 km.
    let ends = [Plan().centre, Plan().position(0, 9_000)]
    let points = (0..<57).map { ends[$0 % 2] }
    let leg = ends[0].distance(to: ends[1])
    #expect(Int(500_000 / leg) == 55)
    #expect(try path(Array(points.prefix(56))).points.count == 56)
    #expect(throws: RunPathError.tooLong) { try path(points) }
  }

  @Test("a path has at most 20,000 points", .tags(.R38))
  func count() throws {
    let plan = Plan()
    let points = (0...20_000).map { plan.position(Double($0) * 10, 0) }
    #expect(try path(Array(points.dropLast())).points.count == 20_000)
    #expect(throws: RunPathError.tooManyPoints) { try path(points) }
  }

  @Test("distances agree with Vincenty's to a millimetre, everywhere on earth", .tags(.RUN_5))
  func distances() throws {
    var random = SeededRandom()
    for _ in 0..<20_000 {
      let latitude = Double.random(in: -89.99...89.99, using: &random)
      let left = GeoPoint.at(latitude, .random(in: -180...180, using: &random))
      let reach = Double.random(in: 0...0.08, using: &random)
      let right = GeoPoint.at(
        min(max(left.latitude + .random(in: -reach...reach, using: &random), -90), 90),
        left.longitude + .random(in: -reach...reach, using: &random))
      // The oracle does not handle the antimeridian.
      guard abs(left.longitude - right.longitude) < 1, let expected = vincenty(left, right)
      else { continue }
      #expect(abs(left.distance(to: right) - expected) < 0.001)
      #expect(left.distance(to: right) == right.distance(to: left))
    }
  }

  @Test("known distances: a degree of the equator, of the meridian, over the pole", .tags(.RUN_5))
  func known() throws {
    // A degree of the equator is a/180·π; hundredths, because a degree is longer than any run.
    #expect(abs(GeoPoint.at(0, 0).distance(to: .at(0, 0.01)) - 1113.1949) < 0.0001)
    #expect(abs(GeoPoint.at(0, 179.995).distance(to: .at(0, -179.995)) - 1113.1949) < 0.0001)
    // Snyder, "Map Projections: A Working Manual", table 3: 110.57 km at 0°, 111.69 km at 90°.
    #expect(abs(GeoPoint.at(-0.005, 0).distance(to: .at(0.005, 0)) - 1105.743) < 0.001)
    #expect(abs(GeoPoint.at(89.995, 0).distance(to: .at(89.995, 180)) - 1116.940) < 0.001)
  }

  @Test(
    "a course over the antimeridian, and one over a pole, have the usual length", .tags(.RUN_1))
  func edges() throws {
    for latitude in [-60.0, 0, 45] {
      let here = Course(try path([.at(latitude, 9.98), .at(latitude, 10.0), .at(latitude, 10.02)]))
      let there = Course(
        try path([.at(latitude, 179.98), .at(latitude, 180), .at(latitude, -179.98)]))
      #expect(abs(here.length - there.length) < 0.001)
    }
    let pole = Course(try path([.at(89.98, 30), .at(90, 77), .at(89.98, -150)]))
    #expect(abs(pole.length - 4467.76) < 0.01)
    // The midpoint is the pole, at any longitude.
    #expect(pole.position(at: pole.length / 2).distance(to: .at(90, 0)) < 0.01)
    #expect(pole.position(at: 0).distance(to: .at(89.98, 30)) < 0.02)
  }

  @Test("a position on a course is at its distance, clamped to the ends", .tags(.RUN_5))
  func positions() throws {
    let plan = Plan()
    let course = try plan.course([(0, 0), (300, 0), (300, 0), (300, 400)])
    #expect(abs(course.length - 700) < 0.05)
    #expect(course.position(at: 150).distance(to: plan.position(150, 0)) < 0.05)
    #expect(course.position(at: 500).distance(to: plan.position(300, 200)) < 0.05)
    #expect(course.position(at: -5).distance(to: plan.position(0, 0)) < 0.02)
    #expect(course.position(at: 9_999).distance(to: plan.position(300, 400)) < 0.02)
  }

  @Test("the share of a course along another depends on places, not directions", .tags(.RUN_1))
  func shares() throws {
    let plan = Plan()
    let straight = try plan.course([(0, 0), (4000, 0)])
    let back = try plan.course([(4000, 0), (0, 0)])
    let otherSide = try plan.course([(0, 20), (4000, 20)])
    let parallel = try plan.course([(0, 40), (4000, 40)])
    #expect(straight.share(along: straight) == 1)
    #expect(straight.share(along: back) == 1)
    #expect(straight.share(along: otherSide) == 1)
    #expect(straight.share(along: parallel) == 0)
    // Half of it, in the middle of the other; and all of a short one within a long one.
    let half = try plan.course([(1000, 0), (3000, 0), (3000, 2000)])
    #expect(abs(half.share(along: straight) - 0.5) < 0.02)
    let short = try plan.course([(1000, 0), (1500, 0)])
    #expect(short.share(along: straight) == 1)
    #expect(abs(straight.share(along: short) - 550.0 / 4000) < 0.02)
    let elsewhere = try Plan(48, 16).course([(0, 0), (4000, 0)])
    #expect(straight.share(along: elsewhere) == 0)
  }

  @Test("the share agrees with checking every leg of the other course", .tags(.RUN_1))
  func sharesAgainstModel() throws {
    var random = SeededRandom()
    for _ in 0..<100 {
      let plan = Plan(
        .random(in: -70...70, using: &random), .random(in: -180...180, using: &random))
      let other = Self.walk(&random)
      let course = try plan.course(Self.walk(&random))
      let bounds = Self.share(of: course, along: other, plan)
      let share = course.share(along: try plan.course(other))
      #expect(bounds.contains(share))
    }
  }

  private static func walk(_ random: inout SeededRandom) -> [(Double, Double)] {
    let leg: Double = [30, 300, 2000][Int.random(in: 0..<3, using: &random)]
    var place = (0.0, 0.0)
    return (0..<Int.random(in: 2...30, using: &random)).map { _ in
      place.0 += .random(in: -leg...leg, using: &random)
      place.1 += .random(in: -leg...leg, using: &random)
      return place
    }
  }

  /// The share by its definition in the plane, with half a metre of tolerance to either side,
  /// because the earth is not a plane.
  private static func share(
    of course: Course, along other: [(Double, Double)], _ plan: Plan
  ) -> ClosedRange<Double> {
    let steps = max(Int((course.length / 25).rounded(.up)), 1)
    let distances = (0..<steps).map { step -> Double in
      let place = plan.metres(
        of: course.position(at: (Double(step) + 0.5) / Double(steps) * course.length))
      let legs = zip(other, other.dropFirst())
      return legs.reduce(Double.infinity) { min($0, metres(from: place, to: $1)) }
    }
    func share(within metres: Double) -> Double {
      Double(distances.count { $0 <= metres }) / Double(steps)
    }
    return share(within: 24.5)...share(within: 25.5)
  }

  private static func metres(
    from place: (Double, Double), to leg: ((Double, Double), (Double, Double))
  ) -> Double {
    let (start, end) = leg
    let line = (end.0 - start.0, end.1 - start.1)
    let toPlace = (place.0 - start.0, place.1 - start.1)
    let size = line.0 * line.0 + line.1 * line.1
    let share = size == 0 ? 0 : (toPlace.0 * line.0 + toPlace.1 * line.1) / size
    let nearest = min(max(share, 0), 1)
    return hypot(toPlace.0 - nearest * line.0, toPlace.1 - nearest * line.1)
  }
}
