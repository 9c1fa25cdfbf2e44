/// What is added to the statistics of a group before they are released, so that nobody who knows
/// all others of it, and adds people of their own, can tell from them whether one more belongs to
/// it (GRP-1).
///
/// A draw is a whole number, of both signs alike, small ones likelier: each step further is
/// e^(−1/10) times as likely, so that no number of people, and no rank of a percentile, is more
/// than e^(1/10) = 1.11 times as likely with one person as without (the geometric mechanism: Ghosh,
/// Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009). A mean
/// moves by five draws where one person moves it by all they can: it is at most e^(1/2) = 1.65
/// times as likely. Beyond 100 there is none, of 23,200 draws one would be: a number that is
/// further off can't be told, with or without the person.
package struct ReleaseNoise: Sendable {
  /// No draw is further from 0.
  package static let most = 100

  /// How many times as likely a draw is as the one before it: e^(−1/10).
  private static let ratio = 0.904_837_418_035_959_6
  /// Draws by which means move by as much as one person can move them: a mean moves by two such
  /// influences where a number moves by ten people.
  private static let drawsOfInfluence = 5.0

  private let randomBytes: (@Sendable (_ count: Int) -> [UInt8])?

  /// Noise that is drawn from bytes that nobody can guess.
  package init(randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
    self.randomBytes = randomBytes
  }

  private init() { randomBytes = nil }

  /// No noise at all: for numbers that are compared with exact ones.
  package static let silent = ReleaseNoise()

  /// People more or fewer.
  package func people() -> Int {
    guard let randomBytes else { return 0 }
    let bits = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // 53 bits for where in the distribution, another one for the side.
    var left = Double(bits >> 11) / Double(UInt64(1) << 53)
    var chance = (1 - Self.ratio) / (1 + Self.ratio)
    left -= chance
    guard left > 0 else { return 0 }
    for distance in 1...Self.most {
      chance *= Self.ratio
      left -= 2 * chance
      if left <= 0 { return bits & 1 == 0 ? distance : -distance }
    }
    return bits & 1 == 0 ? Self.most : -Self.most
  }

  /// As much of a mean, in influences of one person: the range by the number of people.
  package func influences() -> Double { Double(people()) / Self.drawsOfInfluence }
}
