import Domain
import Foundation

/// A flat plan of the earth around a point, in metres east and north of it, as used for drawing a
/// course.
struct Plan {
  let centre: GeoPoint

  init(_ latitude: Double = 45.4642, _ longitude: Double = 9.19) {
    centre = .at(latitude, longitude)
  }

  /// The position at a distance east and north of the centre, in metres.
  func position(_ east: Double, _ north: Double) -> GeoPoint {
    .at(centre.latitude + north / metresADegree.north, centre.longitude + east / metresADegree.east)
  }

  /// The distance from the centre to a near position, in metres east and north.
  func metres(of position: GeoPoint) -> (Double, Double) {
    let east = (position.longitude - centre.longitude + 540).truncatingRemainder(dividingBy: 360)
    return (
      (east - 180) * metresADegree.east, (position.latitude - centre.latitude) * metresADegree.north
    )
  }

  /// By the radii of curvature of WGS 84.
  private var metresADegree: (east: Double, north: Double) {
    let sine = sin(centre.latitude * .pi / 180)
    let eccentricity = 0.00669437999014
    let part = 1 - eccentricity * sine * sine
    let meridian = 6_378_137 * (1 - eccentricity) / (part * part.squareRoot())
    let parallel = 6_378_137 / part.squareRoot() * cos(centre.latitude * .pi / 180)
    return (parallel * .pi / 180, meridian * .pi / 180)
  }

  /// The course through points given in metres.
  func course(_ points: [(Double, Double)]) throws -> Course {
    Course(try RunPath(points.map { position($0.0, $0.1) }))
  }
}

extension GeoPoint {
  /// A position from valid degrees; longitudes continue beyond the antimeridian.
  static func at(_ latitude: Double, _ longitude: Double) -> GeoPoint {
    let turned = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    guard let point = try? GeoPoint(latitude: latitude, longitude: turned) else {
      preconditionFailure("there is no such position")
    }
    return point
  }
}

/// The length of the shortest line between two positions on the ellipsoid of WGS 84 (Vincenty,
/// "Direct and Inverse Solutions of Geodesics on the Ellipsoid", Survey Review 23, 1975); nil if
/// the series does not converge.
func vincenty(_ left: GeoPoint, _ right: GeoPoint) -> Double? {
  let (a, f) = (6_378_137.0, 1 / 298.257223563)
  let b = a * (1 - f)
  let difference = (right.longitude - left.longitude) * .pi / 180
  let u1 = atan((1 - f) * tan(left.latitude * .pi / 180))
  let u2 = atan((1 - f) * tan(right.latitude * .pi / 180))
  var lambda = difference
  for _ in 0..<1000 {
    let east = cos(u2) * sin(lambda)
    let north = cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(lambda)
    let sine = (east * east + north * north).squareRoot()
    if sine == 0 { return 0 }
    let cosine = sin(u1) * sin(u2) + cos(u1) * cos(u2) * cos(lambda)
    let sigma = atan2(sine, cosine)
    let sinAlpha = cos(u1) * cos(u2) * sin(lambda) / sine
    let cosAlpha2 = 1 - sinAlpha * sinAlpha
    let middle = cosAlpha2 == 0 ? 0 : cosine - 2 * sin(u1) * sin(u2) / cosAlpha2
    let c = f / 16 * cosAlpha2 * (4 + f * (4 - 3 * cosAlpha2))
    let before = lambda
    lambda =
      difference + (1 - c) * f * sinAlpha
      * (sigma + c * sine * (middle + c * cosine * (2 * middle * middle - 1)))
    guard abs(lambda - before) < 1e-12 else { continue }
    let u = cosAlpha2 * (a * a - b * b) / (b * b)
    let big = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
    let small = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
    let first = cosine * (2 * middle * middle - 1)
    let second = small / 6 * middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
    return b * big * (sigma - small * sine * (middle + small / 4 * (first - second)))
  }
  return nil
}
