/// The path of a run as its organiser drew it, from the start to the finish; laps are drawn as
/// often as they are run (R38, RUN-1).
///
/// At least two distinct points, no leg over 10 km, at most 500 km in total. A path may be anywhere
/// on earth, and may cross the antimeridian and a pole.
package struct RunPath: Hashable, Sendable {
  /// The points in order, as given.
  package let points: [GeoPoint]

  /// The longest leg in metres.
  package static let legMax = 10_000.0

  /// The longest path in metres.
  package static let lengthMax = 500_000.0

  /// The largest number of points.
  package static let pointsMax = 20_000

  /// Creates a path through these points.
  ///
  /// Throws `tooFewPoints` without two distinct ones, `tooManyPoints` over 20,000, `legTooLong` and
  /// `tooLong`.
  package init(_ points: [GeoPoint]) throws(RunPathError) {
    if let fault = RunPathCheck(points).faults.first { throw fault.error }
    self.points = points
  }

  /// The distance in metres below which points count as equal, as do all longitudes at a pole:
  /// positions are exact to a centimetre.
  static let sameWithin = 0.005

  /// The first point.
  package var start: GeoPoint { points[0] }

  /// The last point.
  package var finish: GeoPoint { points[points.count - 1] }
}

/// The reason why points are not a valid path of a run (RUN-1).
package enum RunPathError: DomainError {
  /// There are not two distinct points.
  case tooFewPoints
  /// More than 20,000 points.
  case tooManyPoints
  /// More than 10 km between two points.
  case legTooLong
  /// More than 500 km in total.
  case tooLong

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .tooFewPoints: "A path has at least two distinct points."
    case .tooManyPoints: "A path has at most 20000 points."
    case .legTooLong: "Consecutive points of a path are at most 10 km apart."
    case .tooLong: "A path is at most 500 km long."
    }
  }
}
