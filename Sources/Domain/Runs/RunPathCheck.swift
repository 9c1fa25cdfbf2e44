/// What is wrong with points as the path of a run, each fault with its leg, and how long they are
/// (RUN-1, RUN-17).
package struct RunPathCheck: Hashable, Sendable {
  /// One thing that is wrong.
  package struct Fault: Hashable, Sendable {
    /// What it is.
    package let error: RunPathError
    /// The leg, counted from 0 as the point at which it begins; nil where it is no leg's.
    package let leg: Int?
  }

  /// What is wrong, in the order of the legs; none of a path that can be that of a run.
  package let faults: [Fault]
  /// The length in metres.
  package let length: Double
  /// The point at which each leg of the course begins: those that repeat the one before are no
  /// corners of it.
  let corners: [Int]

  /// Checks these points. More than a path may have are not measured.
  package init(_ points: [GeoPoint]) {
    guard points.count <= RunPath.pointsMax else {
      faults = [Fault(error: .tooManyPoints, leg: RunPath.pointsMax - 1)]
      (length, corners) = (0, [])
      return
    }
    var faults: [Fault] = []
    var corners = points.isEmpty ? [] : [0]
    var last = points.first.map { EarthPoint($0) }
    var length = 0.0
    for (index, point) in points.enumerated().dropFirst() {
      let place = EarthPoint(point)
      guard let leg = last?.distance(to: place), leg > RunPath.sameWithin else { continue }
      if leg > RunPath.legMax { faults.append(Fault(error: .legTooLong, leg: index - 1)) }
      if length <= RunPath.lengthMax, length + leg > RunPath.lengthMax {
        faults.append(Fault(error: .tooLong, leg: index - 1))
      }
      length += leg
      corners.append(index)
      last = place
    }
    if corners.count < 2 { faults.append(Fault(error: .tooFewPoints, leg: nil)) }
    self.faults = faults
    self.length = length
    self.corners = corners
  }

  /// The legs of which at least half lies along another course, by the points at which they begin.
  package func legs(of course: Course, along other: Course) -> [Int] {
    course.legs(along: other).compactMap { leg in
      corners.indices.contains(leg + 1) ? corners[leg + 1] - 1 : nil
    }
  }
}
