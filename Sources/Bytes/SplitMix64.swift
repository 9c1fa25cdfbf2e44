/// Reproducible pseudorandom numbers (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014): the same for the same seed, for simulations and tests, never for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  /// The distance of two states: the odd number nearest to 2^64 divided by the golden ratio.
  /// Multiplied by it, numbers that differ in their low bits differ in their high bits.
  @inlinable public static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  /// The number from which the next one is mixed.
  @usableFromInline package var state: UInt64

  /// The numbers of a seed.
  @inlinable public init(seed: UInt64) { state = seed }

  /// The next number.
  @inlinable public mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// The next number as a share, from 0 to below 1.
  @inlinable public mutating func nextShare() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// The finaliser: a bijection in which every bit of the word influences every bit of the result.
  @inlinable public static func mixed(_ word: UInt64) -> UInt64 {
    var word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
