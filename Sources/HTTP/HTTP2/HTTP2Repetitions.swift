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

  /// Hashes a text.
  @unsafe static func hash(_ text: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
    // SAFETY: the caller's buffer is valid during the call.
    unsafe text.span.hash(seed: seed)
  }
}
