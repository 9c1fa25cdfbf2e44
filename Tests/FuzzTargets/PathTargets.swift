import Domain
import Track4Run

/// A GPX file is refused, or has no more points than a path.
package func fuzzGPXPath(_ bytes: [UInt8]) {
  guard let points = try? GPXPath.points(of: bytes) else { return }
  precondition(points.count <= RunPath.pointsMax)
}
