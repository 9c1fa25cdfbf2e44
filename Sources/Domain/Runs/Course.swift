/// A measured path: each position on it has a distance from the start in metres.
///
/// Legs are straight lines between corners, below the earth's surface. At 10 km they sag by two
/// metres in the middle, far less than the accuracy of positions. Lengths are measured along the
/// surface.
package struct Course: Sendable {
  /// The corners, without repetitions of the previous one.
  let corners: [EarthPoint]

  /// The distance from the start to each corner, in metres.
  let metresAtCorner: [Double]

  /// Creates the course of a path.
  package init(_ path: RunPath) {
    var corners = [EarthPoint(path.start)]
    var metresAtCorner = [0.0]
    for point in path.points.dropFirst() {
      let corner = EarthPoint(point)
      let leg = corners[corners.count - 1].distance(to: corner)
      guard leg > RunPath.sameWithin else { continue }
      metresAtCorner.append(metresAtCorner[corners.count - 1] + leg)
      corners.append(corner)
    }
    self.corners = corners
    self.metresAtCorner = metresAtCorner
  }

  /// The length in metres.
  package var length: Double { metresAtCorner[metresAtCorner.count - 1] }

  /// The position at a distance from the start in metres, clamped to start and finish.
  package func position(at metres: Double) -> GeoPoint { point(at: metres).position }

  /// The point at a distance from the start in metres, on the line between its corners.
  func point(at metres: Double) -> EarthPoint {
    let leg = leg(at: metres)
    let share = min(max((metres - metresAtCorner[leg]) / length(ofLeg: leg), 0), 1)
    return corners[leg] + share * (corners[leg + 1] - corners[leg])
  }

  /// The number of legs.
  var legCount: Int { corners.count - 1 }

  /// The length of a leg in metres.
  func length(ofLeg leg: Int) -> Double { metresAtCorner[leg + 1] - metresAtCorner[leg] }

  /// The leg at a distance from the start in metres, the later one at a corner; clamped to the
  /// first and the last leg.
  func leg(at metres: Double) -> Int {
    var low = 0
    var high = legCount
    while high - low > 1 {
      let middle = (low + high) / 2
      if metresAtCorner[middle] <= metres { low = middle } else { high = middle }
    }
    return low
  }
}
