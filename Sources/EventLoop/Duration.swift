extension Duration {
  /// So many nanoseconds, without the call that `nanoseconds(_:)` is.
  @inlinable package init(wholeNanoseconds: Int64) {
    self.init(attoseconds: Int128(wholeNanoseconds) &* 1_000_000_000)
  }

  /// This duration in nanoseconds, rounded towards zero; two hundred and ninety years at most.
  @inlinable package var wholeNanoseconds: Int64 {
    // Dividing 128 bits is a call; 10^9 is 2^9 times 1,953,125, and what is left after the shift
    // fits a register up to an hour and a quarter.
    let shifted = attoseconds >> 9
    if shifted >= 0, shifted <= Int128(Int64.max) {
      return Int64(truncatingIfNeeded: shifted) / 1_953_125
    }
    return Int64(truncatingIfNeeded: attoseconds / 1_000_000_000)
  }
}
