extension Course {
  /// The distance in metres within which two courses coincide: the two sides of a wide road.
  package static let alongWithin = 25.0

  /// The sampling interval along a course, in metres.
  static let shareStep = 25.0

  /// The share of this course, 0 to 1, within 25 m of another, in either direction (RUN-1). Sampled
  /// every 25 m.
  package func share(along other: Course) -> Double {
    let shared = stepsAlong(other)
    return Double(shared.count { $0 }) / Double(shared.count)
  }

  /// The legs that are within 25 m of another course for at least half of their length, by number
  /// from 0. For a leg shorter than a sampling interval, its middle decides.
  func legs(along other: Course) -> [Int] {
    let shared = stepsAlong(other)
    return (0..<legCount).filter { leg in
      let (from, to) = (metresAtCorner[leg], metresAtCorner[leg + 1])
      func step(at metres: Double) -> Int {
        min(Int(metres / length * Double(shared.count)), shared.count - 1)
      }
      let steps = shared[step(at: from)...step(at: to)]
      guard to - from > 2 * Self.shareStep else { return shared[step(at: (from + to) / 2)] }
      return 2 * steps.count { $0 } >= steps.count
    }
  }

  /// Whether each sampling interval of this course (there is at least one) is along another.
  private func stepsAlong(_ other: Course) -> [Bool] {
    let nearby = NearbyLegs(of: other, within: Self.alongWithin)
    let steps = max(Int((length / Self.shareStep).rounded(.up)), 1)
    return (0..<steps).map { step in
      // The middle of each interval represents it.
      nearby.passes(point(at: (Double(step) + 0.5) / Double(steps) * length))
    }
  }
}

/// The legs of a course indexed by nearby cubes of space, so that a look-up for a point checks only
/// a few of them.
private struct NearbyLegs {
  private struct Cube: Hashable {
    let x: Int32
    let y: Int32
    let z: Int32
  }

  /// The edge of a cube in metres.
  private static let edge = 200.0

  private let course: Course
  private let within: Double
  private var legs: [Cube: [Int32]] = [:]

  init(of course: Course, within: Double) {
    self.course = course
    self.within = within
    for leg in 0..<course.legCount { add(leg) }
  }

  /// Inserts a leg into the nearby cubes: those around points along it.
  private mutating func add(_ leg: Int) {
    let line = course.corners[leg + 1] - course.corners[leg]
    // A point every half edge misses a nearby cube by at most a quarter of an edge; the margin
    // covers that.
    let steps = max(Int((2 * line.length / Self.edge).rounded(.up)), 1)
    var cubes: Set<Cube> = []
    for step in 0...steps {
      let place = course.corners[leg] + (Double(step) / Double(steps)) * line
      cubes.formUnion(Self.cubes(around: place, within: within + Self.edge / 4))
    }
    for cube in cubes { legs[cube, default: []].append(Int32(leg)) }
  }

  private static func cubes(around place: EarthPoint, within margin: Double) -> Set<Cube> {
    var cubes: Set<Cube> = []
    for x in [place.x - margin, place.x + margin] {
      for y in [place.y - margin, place.y + margin] {
        for z in [place.z - margin, place.z + margin] {
          cubes.insert(cube(of: EarthPoint(x: x, y: y, z: z)))
        }
      }
    }
    return cubes
  }

  private static func cube(of place: EarthPoint) -> Cube {
    Cube(
      x: Int32((place.x / edge).rounded(.down)), y: Int32((place.y / edge).rounded(.down)),
      z: Int32((place.z / edge).rounded(.down)))
  }

  /// Whether the course passes within reach of a point.
  func passes(_ place: EarthPoint) -> Bool {
    (legs[Self.cube(of: place)] ?? []).contains { leg in
      course.distance(from: place, toLeg: Int(leg)) <= within
    }
  }
}

extension Course {
  /// The distance from a point to the nearest point of a leg, in metres.
  fileprivate func distance(from place: EarthPoint, toLeg leg: Int) -> Double {
    let metres = nearest(to: place, onLeg: leg)
    let onLeg = min(max(metres, metresAtCorner[leg]), metresAtCorner[leg + 1])
    let share = (onLeg - metresAtCorner[leg]) / length(ofLeg: leg)
    let nearest = corners[leg] + share * (corners[leg + 1] - corners[leg])
    return (nearest - place).length
  }
}
