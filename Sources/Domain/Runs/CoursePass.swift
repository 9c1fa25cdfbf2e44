/// A place where a course passes a point: nearer to it than the places before and behind.
struct CoursePass: Hashable, Sendable {
  /// The metres from the start of the course.
  let metres: Double
  /// The metres from the point.
  let away: Double
}

extension Course {
  /// Where a stretch of the course passes a point, in the order of the course; its ends count too
  /// where the course goes on nearer behind them.
  ///
  /// A course that crosses itself, or comes back on the same road, passes a point several times.
  /// Takes time in proportion to the legs of the stretch.
  func passes(of point: EarthPoint, in stretch: ClosedRange<Double>) -> [CoursePass] {
    let stretch = stretch.clamped(to: 0...length)
    let (first, last) = (leg(at: stretch.lowerBound), leg(at: stretch.upperBound))
    var passes: [CoursePass] = []
    // Whether the leg before was nearest at its end, so that a pass may be at the corner.
    var comesNearer = true
    for leg in first...last {
      let part =
        max(
          metresAtCorner[leg], stretch.lowerBound)...min(
          metresAtCorner[leg + 1], stretch.upperBound)
      let metres = nearest(to: point, onLeg: leg)
      let isBefore = metres <= part.lowerBound
      let isBehind = metres >= part.upperBound && part.lowerBound < part.upperBound
      if !isBehind || leg == last, !isBefore || comesNearer {
        let place = min(max(metres, part.lowerBound), part.upperBound)
        passes.append(
          CoursePass(metres: place, away: (self.place(at: place) - point).length))
      }
      comesNearer = isBehind
    }
    return passes
  }

  /// The metres from the start at which the line of a leg is nearest to a point; the line goes on
  /// beyond both corners.
  func nearest(to point: EarthPoint, onLeg leg: Int) -> Double {
    let line = corners[leg + 1] - corners[leg]
    let share = (point - corners[leg]).dot(line) / line.dot(line)
    return metresAtCorner[leg] + share * length(ofLeg: leg)
  }
}
