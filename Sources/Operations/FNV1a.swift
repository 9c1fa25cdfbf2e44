/// The hash of Fowler, Noll and Vo (variant 1a, 64 bits, draft-eastlake-fnv): fast for short texts
/// and equal in every process, for tables and names. Collisions are easy to construct, so it offers
/// no protection and must not key tables that clients can fill.
package enum FNV1a {
  private static let offsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  /// The hash of these bytes.
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash = offsetBasis
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* prime }
    return hash
  }

  /// The hash of a text's UTF-8.
  package static func hash(_ text: String) -> UInt64 { hash(text.utf8Span.span) }
}
