extension Duration {
  /// A duration in nanoseconds; inlined, unlike `nanoseconds(_:)`.
  @inlinable public init(wholeNanoseconds: Int64) {
    self.init(attoseconds: Int128(wholeNanoseconds) &* 1_000_000_000)
  }

  /// This duration in nanoseconds, rounded towards zero; at most 290 years.
  @inlinable @inline(__always) public var wholeNanoseconds: Int64 {
    // A 128-bit division is a function call. 10^9 is 2^9 times 1,953,125, and after the shift
    // durations up to 75 minutes fit into 64 bits.
    let shifted = attoseconds >> 9
    if shifted >= 0, shifted <= Int128(Int64.max) {
      return Int64(truncatingIfNeeded: shifted) / 1_953_125
    }
    return Int64(truncatingIfNeeded: attoseconds / 1_000_000_000)
  }
}
