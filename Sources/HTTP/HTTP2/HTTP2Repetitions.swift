import Bytes

/// Predicts which field lines will be repeated.
///
/// Only lines that were sent before are worth an entry in the peer's compression table (RFC 7541).
/// Unique values such as request identifiers would evict the lines that occur in every head, which
/// would then be sent in full again. A wrong prediction only costs bytes.
struct HTTP2Repetitions {
  private static let slotsMax = 256

  /// The hash of the latest line in each slot.
  private var slots: [UInt32]

  init() { slots = Array(repeating: 0, count: Self.slotsMax) }

  private init(slots: [UInt32]) { self.slots = slots }

  /// Takes the place of a value that is moved; must not be used.
  static var vacant: HTTP2Repetitions { HTTP2Repetitions(slots: []) }

  /// Returns whether this hash was the latest in its slot, and stores it there.
  mutating func notice(_ hash: UInt64) -> Bool {
    let slot = Int(hash & UInt64(Self.slotsMax - 1))
    let mark = UInt32(truncatingIfNeeded: hash >> 32)
    defer { slots[slot] = mark }
    return slots[slot] == mark
  }

  /// Hashes a text, eight bytes at a time (multiply and fold, as in wyhash).
  static func hash(_ text: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(text)
    var hash = seed &+ UInt64(bytes.count) &* SplitMix64.increment
    var offset = 0
    while offset + 8 <= bytes.count {
      // SAFETY: the loop condition checks that the eight bytes are in the buffer; in debug builds
      // the buffer checks it too.
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
