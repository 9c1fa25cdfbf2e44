/// A set of people by their member numbers, a bit each: a million of them take 125 kB.
///
/// Bit n of the bytes is bit n % 8 of byte n / 8, from the lowest on, as PostgreSQL's `get_bit`.
package struct MemberSet: Hashable, Sendable {
  /// The bits, without zero bytes at the end once `trimmed`.
  package private(set) var bytes: [UInt8]

  /// Nobody, with room for numbers below `capacity`.
  package init(capacity: Int = 0) { bytes = Array(repeating: 0, count: (capacity + 7) / 8) }

  /// The set with these bits.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Numbers below this have room.
  package var capacity: Int { bytes.count * 8 }

  /// Adds a number, which is not negative.
  package mutating func insert(_ member: Int) {
    if member >= capacity {
      bytes.append(contentsOf: repeatElement(0, count: member / 8 + 1 - bytes.count))
    }
    bytes[member / 8] |= 1 << UInt8(member % 8)
  }

  /// Whether a number is in the set.
  package func contains(_ member: Int) -> Bool {
    member >= 0 && member < capacity && bytes[member / 8] & 1 << UInt8(member % 8) != 0
  }

  /// How many people it holds.
  package var count: Int {
    let bytes = bytes.span
    var count = 0
    for index in bytes.indices { count += bytes[index].nonzeroBitCount }
    return count
  }

  /// How many people are in one of the two sets and not in the other.
  package func difference(from other: MemberSet) -> Int {
    let (long, short) =
      bytes.count >= other.bytes.count ? (bytes, other.bytes) : (other.bytes, bytes)
    let (longer, shorter) = (long.span, short.span)
    var count = 0
    for index in shorter.indices { count += (longer[index] ^ shorter[index]).nonzeroBitCount }
    for index in shorter.count..<longer.count { count += longer[index].nonzeroBitCount }
    return count
  }

  /// The same set without zero bytes at its end, so that equal sets have equal bytes.
  package var trimmed: MemberSet {
    MemberSet(bytes: Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)]))
  }
}
