/// A path as it is measured: every place on it is so many metres from its start.
///
/// Legs are straight lines through the earth's surface between corners, which at 10 km sag by two
/// metres in the middle: far less than positions are exact. Lengths are those along the surface.
package struct Course: Sendable {
  /// The corners, those that repeat the one before left out.
  let corners: [EarthPoint]

  /// The metres from the start to each corner.
  let metresAtCorner: [Double]

  /// The course of a path.
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

  /// Its length in metres.
  package var length: Double { metresAtCorner[metresAtCorner.count - 1] }

  /// The position so many metres from the start; before it the start, behind the finish the finish.
  package func position(at metres: Double) -> GeoPoint { place(at: metres).position }

  /// The place so many metres from the start, on the line between its corners.
  func place(at metres: Double) -> EarthPoint {
    let leg = leg(at: metres)
    let share = min(max((metres - metresAtCorner[leg]) / length(ofLeg: leg), 0), 1)
    return corners[leg] + share * (corners[leg + 1] - corners[leg])
  }

  /// How many legs there are.
  var legCount: Int { corners.count - 1 }

  /// The length of a leg in metres.
  func length(ofLeg leg: Int) -> Double { metresAtCorner[leg + 1] - metresAtCorner[leg] }

  /// The leg that lies so many metres from the start, the later one at a corner; the first leg
  /// before the start, the last one behind the finish.
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
