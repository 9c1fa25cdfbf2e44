/// A point in metres from the centre of the earth, along the three axes of WGS 84: towards the
/// meridian of Greenwich, towards 90° east, and towards the north pole.
///
/// In these coordinates the antimeridian and the poles need no special case, and the distance of
/// two near points is that of a straight line with a small correction.
struct EarthPoint: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  /// WGS 84 (NGA.STND.0036): the equator's radius in metres, and the flattening.
  private static let equatorRadius = 6_378_137.0
  private static let flattening = 1 / 298.257223563
  private static let polarRadius = equatorRadius * (1 - flattening)
  /// The squares of the first and of the second eccentricity.
  private static let eccentricity = flattening * (2 - flattening)
  private static let secondEccentricity = eccentricity / (1 - eccentricity)
  /// The earth's mean radius in metres (IUGG, R1).
  private static let meanRadius = 6_371_008.8

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The point of a position at sea level.
  init(_ point: GeoPoint) {
    let radians = Double.pi / 180
    let sine = Trigonometry.sine(point.latitude * radians)
    let cosine = Trigonometry.cosine(point.latitude * radians)
    let radius = Self.equatorRadius / (1 - Self.eccentricity * sine * sine).squareRoot()
    self.init(
      x: radius * cosine * Trigonometry.cosine(point.longitude * radians),
      y: radius * cosine * Trigonometry.sine(point.longitude * radians),
      z: radius * (1 - Self.eccentricity) * sine)
  }

  /// The position at sea level vertically below or above this point, which is near sea level
  /// (Bowring, "The accuracy of geodetic latitude and height equations", Survey Review 28, 1985).
  var position: GeoPoint {
    let fromAxis = (x * x + y * y).squareRoot()
    let parametric = (z * Self.equatorRadius, fromAxis * Self.polarRadius)
    let size = (parametric.0 * parametric.0 + parametric.1 * parametric.1).squareRoot()
    let (sine, cosine) = (parametric.0 / size, parametric.1 / size)
    let latitude = Trigonometry.arcTangent(
      z + Self.secondEccentricity * Self.polarRadius * sine * sine * sine,
      fromAxis - Self.eccentricity * Self.equatorRadius * cosine * cosine * cosine)
    return GeoPoint(
      clamping: latitude * 180 / .pi, Trigonometry.arcTangent(y, x) * 180 / .pi)
  }

  /// The distance between two points along the surface, in metres.
  ///
  /// The length of the arc over the straight line between them (both terms of the arc sine's
  /// series): accurate to a millimetre up to 10 km, to centimetres at 100 km. At larger distances
  /// the result is too short, but never shorter than the straight line.
  func distance(to other: EarthPoint) -> Double {
    let straight = (other - self).length
    let bend = straight * straight / (4 * Self.meanRadius * Self.meanRadius)
    return straight * (1 + bend / 6 + 3 * bend * bend / 40)
  }

  var length: Double { dot(self).squareRoot() }

  func dot(_ other: EarthPoint) -> Double { x * other.x + y * other.y + z * other.z }

  static func - (left: EarthPoint, right: EarthPoint) -> EarthPoint {
    EarthPoint(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  static func + (left: EarthPoint, right: EarthPoint) -> EarthPoint {
    EarthPoint(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  static func * (factor: Double, place: EarthPoint) -> EarthPoint {
    EarthPoint(x: factor * place.x, y: factor * place.y, z: factor * place.z)
  }
}

extension GeoPoint {
  /// The distance to another position along the earth's surface, in metres: accurate to a
  /// millimetre up to 10 km, and to centimetres at 100 km. At larger distances the result is too
  /// short, but never shorter than the straight line through the earth.
  package func distance(to other: GeoPoint) -> Double {
    EarthPoint(self).distance(to: EarthPoint(other))
  }

  /// Creates a position from degrees, clamped to the valid range.
  init(clamping latitude: Double, _ longitude: Double) {
    self.init(
      unchecked: Int32((min(max(latitude, -90), 90) * 1e7).rounded()),
      Int32((min(max(longitude, -180), 180) * 1e7).rounded()))
  }
}
