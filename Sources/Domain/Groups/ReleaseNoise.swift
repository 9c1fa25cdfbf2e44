import Bytes

/// The noise added to a group's statistics before release. It prevents an attacker who knows all
/// other people of the group, and adds accounts of their own, from learning whether one more person
/// belongs to it (GRP-1).
///
/// A draw is a whole number with a symmetric distribution: each step further from 0 is e^(−1/10)
/// times as likely. Therefore no number of people, and no rank of a percentile, is more than
/// e^(1/10) = 1.11 times as likely with one person as without (the geometric mechanism: Ghosh,
/// Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009). One
/// person's largest influence on a mean equals five draws, so a mean is at most e^(1/2) = 1.65
/// times as likely. No draw exceeds 100, which one in 23,200 otherwise would: a number further off
/// is impossible with or without the person.
package struct ReleaseNoise: Sendable {
  /// The largest absolute value of a draw.
  package static let most = 100

  /// The ratio between the probabilities of consecutive draws: e^(−1/10).
  private static let ratio = 0.904_837_418_035_959_6
  /// The number of draws that equals one person's largest influence on a mean: where a number
  /// changes by ten people, a mean changes by two such influences.
  private static let drawsOfInfluence = 5.0

  private let randomBytes: (@Sendable (_ count: Int) -> [UInt8])?

  /// Creates noise from unpredictable random bytes.
  package init(randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
    self.randomBytes = randomBytes
  }

  private init() { randomBytes = nil }

  /// No noise, for comparisons with exact numbers.
  package static let silent = ReleaseNoise()

  /// A draw in people, positive or negative.
  package func people() -> Int {
    guard let randomBytes else { return 0 }
    let bits = UInt64(bigEndianBytes: randomBytes(8))
    // 53 bits select the absolute value, another one the sign.
    var left = Double(bits >> 11) / Double(UInt64(1) << 53)
    var probability = (1 - Self.ratio) / (1 + Self.ratio)
    left -= probability
    guard left > 0 else { return 0 }
    for distance in 1...Self.most {
      probability *= Self.ratio
      left -= 2 * probability
      if left <= 0 { return bits & 1 == 0 ? distance : -distance }
    }
    return bits & 1 == 0 ? Self.most : -Self.most
  }

  /// A draw for a mean, in influences of one person: the range divided by the number of people.
  package func influences() -> Double { Double(people()) / Self.drawsOfInfluence }
}
