import Bytes
import Domain
import Postgres

/// A path in PostGIS's form: a LineString in well-known binary (OGC 06-103r4, 8.2), with longitudes
/// and latitudes in degrees. The points are read back exactly as stored.
package struct StoredPath: PostgresValue, Equatable {
  /// The path.
  package let path: RunPath

  /// Wraps a path for storing.
  package init(_ path: RunPath) { self.path = path }

  /// bytea, which PostGIS converts to a geography.
  package static var postgresType: PostgresType { .bytea }

  /// The type code of a LineString.
  private static let lineString: UInt32 = 2
  /// The value of the first byte for little-endian numbers.
  private static let leastFirst: UInt8 = 1

  /// Appends the LineString.
  package func encode(into bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + 9 + 16 * path.points.count)
    bytes.append(0)
    bytes.append(contentsOf: Self.lineString.bigEndianBytes)
    bytes.append(contentsOf: UInt32(path.points.count).bigEndianBytes)
    for point in path.points {
      bytes.append(contentsOf: point.longitude.bitPattern.bigEndianBytes)
      bytes.append(contentsOf: point.latitude.bitPattern.bigEndianBytes)
    }
  }

  /// Throws `PostgresError.unexpectedResult` for anything but a LineString that is a path.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> StoredPath {
    guard let points = points(bytes) else { throw .unexpectedResult("a path is not a LineString") }
    do throws(RunPathError) { return StoredPath(try RunPath(points)) } catch {
      throw .unexpectedResult("a stored path is corrupt")
    }
  }

  private static func points(_ bytes: Span<UInt8>) -> [GeoPoint]? {
    guard bytes.count >= 9 else { return nil }
    let leastFirst = bytes[0] == leastFirst
    let kind: UInt32 = number(bytes, at: 1, leastFirst)
    let count = Int(number(bytes, at: 5, leastFirst) as UInt32)
    guard kind == lineString, bytes.count == 9 + 16 * count else { return nil }
    var points: [GeoPoint] = []
    points.reserveCapacity(count)
    for start in stride(from: 9, to: bytes.count, by: 16) {
      let longitude = Double(bitPattern: number(bytes, at: start, leastFirst))
      let latitude = Double(bitPattern: number(bytes, at: start + 8, leastFirst))
      guard let point = try? GeoPoint(latitude: latitude, longitude: longitude) else { return nil }
      points.append(point)
    }
    return points
  }

  private static func number<Number: FixedWidthInteger>(
    _ bytes: Span<UInt8>, at start: Int, _ leastFirst: Bool
  ) -> Number {
    var number: Number = 0
    for index in 0..<Number.bitWidth / 8 {
      number = number << 8 | Number(truncatingIfNeeded: bytes[start + index])
    }
    return leastFirst ? number.byteSwapped : number
  }
}
