import EventLoop

/// Chance for pauses and ages, so that the connections of many processes do not come back at once.
package struct Scatter {
  private let randomBytes: (_ count: Int) -> [UInt8]

  /// Chance out of these bytes; tests pass constant ones.
  package init(_ randomBytes: @escaping (_ count: Int) -> [UInt8] = World.system.randomBytes) {
    self.randomBytes = randomBytes
  }

  /// A duration between `part` of this one and all of it.
  package func shorten(_ duration: Duration, to part: Double) -> Duration {
    let bytes = randomBytes(2)
    let chance = Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) / 65_535
    return duration * (part + (1 - part) * chance)
  }
}
