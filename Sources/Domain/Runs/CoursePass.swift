/// A local minimum of the distance between a course and a point.
struct CoursePass: Hashable, Sendable {
  /// The distance from the start of the course, in metres.
  let metres: Double
  /// The distance from the point, in metres.
  let distance: Double
}

extension Course {
  /// The passes of a section of the course by a point, in order. An end of the section counts too
  /// if the course comes nearer beyond it.
  ///
  /// A course that crosses itself, or returns on the same road, passes a point several times. Takes
  /// time linear in the legs of the section.
  func passes(of point: EarthPoint, in stretch: ClosedRange<Double>) -> [CoursePass] {
    let stretch = stretch.clamped(to: 0...length)
    let (first, last) = (leg(at: stretch.lowerBound), leg(at: stretch.upperBound))
    var passes: [CoursePass] = []
    // Whether the previous leg was nearest at its end, so that the corner may be a pass.
    var comesNearer = true
    for leg in first...last {
      let part =
        max(
          metresAtCorner[leg], stretch.lowerBound)...min(
          metresAtCorner[leg + 1], stretch.upperBound)
      let metres = nearest(to: point, onLeg: leg)
      let isBefore = metres <= part.lowerBound
      let isPast = metres >= part.upperBound && part.lowerBound < part.upperBound
      if !isPast || leg == last, !isBefore || comesNearer {
        let clamped = min(max(metres, part.lowerBound), part.upperBound)
        passes.append(
          CoursePass(metres: clamped, distance: (self.point(at: clamped) - point).length))
      }
      comesNearer = isPast
    }
    return passes
  }

  /// The distance from the start, in metres, at which the line through a leg is nearest to a point;
  /// the line extends beyond both corners.
  func nearest(to point: EarthPoint, onLeg leg: Int) -> Double {
    let line = corners[leg + 1] - corners[leg]
    let share = (point - corners[leg]).dot(line) / line.dot(line)
    return metresAtCorner[leg] + share * length(ofLeg: leg)
  }
}
