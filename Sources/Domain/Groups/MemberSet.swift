/// A set of people by member number, one bit each: a million people take 125 kB.
///
/// Number n is bit n % 8 of byte n / 8, lowest bit first, as in PostgreSQL's `get_bit`.
package struct MemberSet: Hashable, Sendable {
  /// The bits; without trailing zero bytes after `trimmed`.
  package private(set) var bytes: [UInt8]

  /// Creates an empty set with room for numbers below `capacity`.
  package init(capacity: Int = 0) { bytes = Array(repeating: 0, count: (capacity + 7) / 8) }

  /// Creates a set from its bits.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// The upper bound of the numbers that fit without growing.
  package var capacity: Int { bytes.count * 8 }

  /// Adds a number, which must not be negative.
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

  /// The number of people in the set.
  package var count: Int {
    let bytes = bytes.span
    var count = 0
    for index in bytes.indices { count += bytes[index].nonzeroBitCount }
    return count
  }

  /// The number of people in exactly one of the two sets.
  package func difference(from other: MemberSet) -> Int {
    let (long, short) =
      bytes.count >= other.bytes.count ? (bytes, other.bytes) : (other.bytes, bytes)
    let (longer, shorter) = (long.span, short.span)
    var count = 0
    for index in shorter.indices { count += (longer[index] ^ shorter[index]).nonzeroBitCount }
    for index in shorter.count..<longer.count { count += longer[index].nonzeroBitCount }
    return count
  }

  /// The set without trailing zero bytes, so that equal sets have equal bytes.
  package var trimmed: MemberSet {
    MemberSet(bytes: Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)]))
  }
}
