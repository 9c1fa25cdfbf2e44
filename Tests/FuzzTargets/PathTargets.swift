import Domain
import Runs

/// A GPX file is refused, or has at most as many points as a path may have.
package func fuzzGPXPath(_ bytes: [UInt8]) {
  guard let points = try? GPXPath.points(of: bytes) else { return }
  precondition(points.count <= RunPath.pointsMax)
}
