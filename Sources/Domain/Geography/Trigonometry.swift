/// Sine, cosine and arc tangent by their Taylor series, because the domain imports no mathematics
/// library.
package enum Trigonometry {
  /// The sine of an angle of -π to π, to about 1e-11.
  package static func sine(_ angle: Double) -> Double {
    // Folded to ±π/2, where eleven terms are enough.
    let folded = angle > .pi / 2 ? .pi - angle : angle < -.pi / 2 ? -.pi - angle : angle
    var term = folded
    var sum = folded
    for step in 1...10 {
      term *= -folded * folded / Double(2 * step * (2 * step + 1))
      sum += term
    }
    return sum
  }

  /// The cosine of an angle of -π to π.
  package static func cosine(_ angle: Double) -> Double { sine(.pi / 2 - abs(angle)) }

  /// The angle of a direction, -π to π, to about 1e-15; 0 for the zero vector.
  static func arcTangent(_ y: Double, _ x: Double) -> Double {
    let (larger, smaller) = (max(abs(x), abs(y)), min(abs(x), abs(y)))
    guard larger > 0 else { return 0 }
    let inOctant = arcTangent(ofUpToOne: smaller / larger)
    let inQuadrant = abs(y) > abs(x) ? .pi / 2 - inOctant : inOctant
    let upper = x < 0 ? .pi - inQuadrant : inQuadrant
    return y < 0 ? -upper : upper
  }

  /// The arc tangent of a ratio from 0 to 1. Over tan 15° the angle is rotated back by 30°, so that
  /// the series covers ±0.268, where fourteen terms are enough.
  private static func arcTangent(ofUpToOne ratio: Double) -> Double {
    let root = 3.0.squareRoot()
    let isTurned = ratio > 0.268
    let turned = isTurned ? (root * ratio - 1) / (root + ratio) : ratio
    var power = turned
    var sum = turned
    for step in 1...13 {
      power *= -turned * turned
      sum += power / Double(2 * step + 1)
    }
    return isTurned ? .pi / 6 + sum : sum
  }
}
