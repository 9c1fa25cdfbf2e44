/// The errors of points as the path of a run, each with its leg, and the length of the path (RUN-1,
/// RUN-17).
package struct RunPathCheck: Hashable, Sendable {
  /// One error.
  package struct Fault: Hashable, Sendable {
    /// The error.
    package let error: RunPathError
    /// The leg, numbered from 0 by its first point; nil for an error of the whole path.
    package let leg: Int?
  }

  /// The errors in order of the legs; empty for a valid path.
  package let faults: [Fault]
  /// The length in metres.
  package let length: Double
  /// The point at which each leg of the course begins; points that repeat the previous one are not
  /// corners.
  let corners: [Int]

  /// Checks these points. If there are too many, they are not measured.
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

  /// The legs that are along another course for at least half of their length, by their first
  /// points.
  package func legs(of course: Course, along other: Course) -> [Int] {
    course.legs(along: other).compactMap { leg in
      corners.indices.contains(leg + 1) ? corners[leg + 1] - 1 : nil
    }
  }
}
