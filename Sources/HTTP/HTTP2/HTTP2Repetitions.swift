/// Tells lines that come again from those that come once.
///
/// Only what was sent before is worth a place in the peer's compression table (RFC 7541): numbers
/// of requests would push out what stands in every head, which the library then spells anew. A
/// wrong guess costs bytes and nothing else.
struct HTTP2Repetitions {
  private static let slotsMax = 256

  /// The latest line of each slot.
  private var slots = [UInt32](repeating: 0, count: slotsMax)

  /// Whether the line of this hash was the last one in its slot; it is from now on.
  mutating func notice(_ hash: UInt64) -> Bool {
    let slot = Int(hash & UInt64(Self.slotsMax - 1))
    let mark = UInt32(truncatingIfNeeded: hash >> 32)
    defer { slots[slot] = mark }
    return slots[slot] == mark
  }

  /// A number for a text, eight bytes at a time (multiplying and folding, as in wyhash).
  static func hash(_ text: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(text)
    var hash = seed &+ UInt64(bytes.count) &* 0x9e37_79b9_7f4a_7c15
    var offset = 0
    while offset + 8 <= bytes.count {
      // SAFETY: the buffer checks that the eight bytes are within it in debug builds, the
      // condition above in all.
      let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = fold(hash ^ word)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = unsafe rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return fold(hash ^ rest)
  }

  private static func fold(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
    return product.high ^ product.low
  }
}
