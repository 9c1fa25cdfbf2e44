import Domain
import Images

/// A picture of a course for the preview of a link: the line from the start (green) to the finish
/// (red), north up, on a ground of one colour.
package enum CoursePreview {
  /// The width in pixels, usual for previews of links.
  package static let width = 1200
  /// The height in pixels.
  package static let height = 630
  /// The version of the drawing, part of the entity tag: every change of the drawing increments it.
  static let edition: UInt8 = 2

  /// The margin on each side, in pixels.
  private static let margin = 70.0
  /// The smallest width at which a course is drawn, in metres: the precision of positions.
  private static let metresMin = 10.0

  private enum Ink: Int {
    case course, start, finish
  }

  /// The picture of a path as PNG.
  package static func png(of path: RunPath) -> [UInt8] {
    var canvas = Canvas(
      width: width, height: height, background: Canvas.Colour(244, 241, 234),
      inks: [
        Canvas.Colour(24, 78, 119), Canvas.Colour(44, 140, 70), Canvas.Colour(200, 40, 50),
      ])
    let points = points(of: path)
    canvas.draw(through: points, radius: 4, ink: Ink.course.rawValue)
    canvas.draw(discAt: points[0], radius: 14, ink: Ink.start.rawValue)
    canvas.draw(discAt: points[points.count - 1], radius: 10, ink: Ink.finish.rawValue)
    return canvas.png
  }

  /// The points on the canvas: degrees converted to metres at the middle latitude, scaled to fit
  /// and centred.
  package static func points(of path: RunPath) -> [Canvas.Point] {
    let first = path.start.longitude
    // Relative to the start, so that a course may cross the antimeridian.
    let east = path.points.map { ($0.longitude - first).wrapped }
    let north = path.points.map(\.latitude)
    let (west, south) = (east.min() ?? 0, north.min() ?? 0)
    let (degreesEast, degreesNorth) = ((east.max() ?? 0) - west, (north.max() ?? 0) - south)
    let (eastMetres, northMetres) = metresOfDegree(atLatitude: south + degreesNorth / 2)
    let (free, freeHeight) = (Double(width) - 2 * margin, Double(height) - 2 * margin)
    let metresOfPixel = max(
      degreesEast * eastMetres / free, degreesNorth * northMetres / freeHeight, metresMin / free)
    let scale = 1 / metresOfPixel
    let left = (Double(width) - degreesEast * eastMetres * scale) / 2
    let bottom = (Double(height) + degreesNorth * northMetres * scale) / 2
    return zip(east, north).map { east, north in
      Canvas.Point(
        x: left + (east - west) * eastMetres * scale,
        y: bottom - (north - south) * northMetres * scale)
    }
  }

  /// The length of a degree eastwards and northwards at a latitude, in metres.
  private static func metresOfDegree(atLatitude latitude: Double) -> (Double, Double) {
    let around = min(max(latitude, -89), 89)
    guard let here = try? GeoPoint(latitude: around, longitude: 0),
      let east = try? GeoPoint(latitude: around, longitude: 0.01),
      let north = try? GeoPoint(latitude: around + 0.01, longitude: 0)
    else { return (111_195, 111_195) }
    return (100 * here.distance(to: east), 100 * here.distance(to: north))
  }
}

extension Double {
  /// Degrees normalised to half a turn.
  fileprivate var wrapped: Double { self > 180 ? self - 360 : self < -180 ? self + 360 : self }
}
