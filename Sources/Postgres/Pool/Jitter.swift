import EventLoop

/// Random jitter for pauses and ages, so that the connections of many processes do not return at
/// once.
package struct Jitter {
  private let randomBytes: (_ count: Int) -> [UInt8]

  /// Creates jitter from a source of random bytes; tests pass constant ones.
  package init(_ randomBytes: @escaping (_ count: Int) -> [UInt8] = Environment.system.randomBytes)
  {
    self.randomBytes = randomBytes
  }

  /// A random duration between `part` of this one and all of it.
  package func shorten(_ duration: Duration, to part: Double) -> Duration {
    let bytes = randomBytes(2)
    let randomness = Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) / 65_535
    return duration * (part + (1 - part) * randomness)
  }
}
