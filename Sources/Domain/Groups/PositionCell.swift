/// A cell of the earth's surface of about 5 km by 5 km, the resolution of searches by last
/// position.
///
/// Rows are 0.045 degrees of latitude high, each divided into columns of about the same width.
package struct PositionCell: Hashable, Sendable, Redacted {
  /// The row, counted from the south pole.
  package let row: Int32
  /// The column, counted from 180° west.
  package let column: Int32

  /// The height of a row in degrees of latitude: 5.004 km.
  static let rowDegrees = 0.045
  private static let rowCount = 4_000
  /// The earth's mean radius in metres (IUGG, R1).
  static let earthRadius = 6_371_008.8

  private init(row: Int, column: Int) {
    self.row = Int32(row)
    self.column = Int32(column)
  }

  /// The cell that contains a point.
  package init(_ point: GeoPoint) {
    let row = min(Int((point.latitude + 90) / Self.rowDegrees), Self.rowCount - 1)
    let columns = Self.columns(inRow: row)
    let column = Int((point.longitude + 180) / 360 * Double(columns))
    self.init(row: row, column: min(column, columns - 1))
  }

  /// The cell as a text, to be hashed, because it is as personal as a position.
  package var text: String { "\(row):\(column)" }

  /// The cells whose centres are within a circle; radius in metres.
  package static func cells(around centre: GeoPoint, radius: Double) -> [PositionCell] {
    let reach = radius / earthRadius * 180 / .pi
    let first = max(Int((centre.latitude - reach + 90) / rowDegrees), 0)
    let last = min(Int((centre.latitude + reach + 90) / rowDegrees), rowCount - 1)
    var cells: [PositionCell] = []
    for row in first...max(first, last) {
      let columns = Self.columns(inRow: row)
      let latitude = centreLatitude(ofRow: row)
      let width = 360 / Double(columns)
      let middle = Int((centre.longitude + 180) / width)
      let cosine = Trigonometry.cosine(latitude * .pi / 180)
      let half = Int(min(reach / max(cosine, 1e-6) / width + 2, Double(columns)))
      // Near a pole the circle may enclose it: then each column is visited once.
      let offsets = 2 * half + 1 >= columns ? 0...(columns - 1) : -half...half
      for offset in offsets {
        let column = ((middle + offset) % columns + columns) % columns
        let longitude = (Double(column) + 0.5) * width - 180
        if isWithin(radius, centre, latitude, longitude) {
          cells.append(PositionCell(row: row, column: column))
        }
      }
    }
    return cells
  }

  private static func centreLatitude(ofRow row: Int) -> Double {
    (Double(row) + 0.5) * rowDegrees - 90
  }

  private static func columns(inRow row: Int) -> Int {
    let cosine = Trigonometry.cosine(centreLatitude(ofRow: row) * .pi / 180)
    return max(1, Int(360 * cosine / rowDegrees))
  }

  /// Whether a point is within a distance of the centre, by the haversine formula.
  private static func isWithin(
    _ radius: Double, _ centre: GeoPoint, _ latitude: Double, _ longitude: Double
  ) -> Bool {
    let radians = Double.pi / 180
    let north = Trigonometry.sine((latitude - centre.latitude) * radians / 2)
    let east = Trigonometry.sine((longitude - centre.longitude) * radians / 2)
    let cosines =
      Trigonometry.cosine(latitude * radians) * Trigonometry.cosine(centre.latitude * radians)
    let limit = Trigonometry.sine(min(radius / earthRadius / 2, .pi / 2))
    return north * north + cosines * east * east <= limit * limit
  }
}
