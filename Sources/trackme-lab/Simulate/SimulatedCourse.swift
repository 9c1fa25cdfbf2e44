import Domain
import EventLoop
import Operations
import Runs
import XML

/// The course of a simulated run, scaled for real time.
///
/// The service refuses positions in the future and speeds beyond a runner's, so a shorter
/// simulation needs a smaller course. The course is scaled down around its start by the speed-up
/// factor. At a runner's pace it then takes that much less time, and every rule of live runs
/// applies unchanged.
package enum SimulatedCourse {
  /// The maximum speed-up factor.
  package static let speedUpMax = 100.0

  /// A lap around the Parco Sempione in Milan; two of them are some 5 km.
  private static let lap: [(Double, Double)] = [
    (45.4757, 9.1724), (45.4771, 9.1757), (45.4766, 9.1795), (45.4752, 9.1818), (45.4729, 9.1822),
    (45.4711, 9.1806), (45.4705, 9.1779), (45.4712, 9.1744), (45.4731, 9.1719),
  ]

  /// The points of a GPX file or of the built-in course.
  ///
  /// - Throws: a sentence about an unreadable or invalid file, with the position of the error.
  package static func points(of file: String?) throws(StartError) -> [GeoPoint] {
    guard let file else {
      do throws(GeoPointError) {
        return try (lap + lap + [lap[0]]).map { (place) throws(GeoPointError) in
          try GeoPoint(latitude: place.0, longitude: place.1)
        }
      } catch { throw StartError("The course is invalid: \(error.description)") }
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read(file, bytesMax: GPXPath.bytesMax)
    } catch {
      throw StartError("\(file) can't be read", error)
    }
    do throws(XMLFault) { return try GPXPath.points(of: bytes) } catch {
      throw StartError("\(file), line \(error.line), column \(error.column): \(error.detail)")
    }
  }

  /// A path through points, scaled down around the first one and shifted by some degrees of
  /// latitude and longitude, because two runs of a day can't use the same path.
  ///
  /// - Throws: a sentence if the path is invalid on the earth or for a run.
  package static func path(
    _ points: [GeoPoint], smaller factor: Double,
    moved degrees: (latitude: Double, longitude: Double) = (0, 0)
  ) throws(StartError) -> RunPath {
    guard let start = points.first else { throw StartError("The course has no points.") }
    let drawn = points.compactMap { point in
      let east = Self.within180(point.longitude - start.longitude)
      return try? GeoPoint(
        latitude: start.latitude + degrees.latitude
          + (point.latitude - start.latitude) / factor,
        longitude: Self.within180(start.longitude + degrees.longitude + east / factor))
    }
    guard drawn.count == points.count else {
      throw StartError("The course is too close to a pole.")
    }
    do throws(RunPathError) { return try RunPath(drawn) } catch {
      throw StartError("The course is invalid: \(error.description)")
    }
  }

  /// Normalises an angle to less than half a turn.
  private static func within180(_ degrees: Double) -> Double {
    degrees - 360 * (degrees / 360).rounded()
  }
}
