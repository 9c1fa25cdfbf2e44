/// A value of SQL type uuid: sixteen bytes without interpretation.
package struct PostgresUUID: Sendable, Hashable, PostgresValue {
  /// The first eight bytes, big-endian.
  package let high: UInt64
  /// The last eight bytes, big-endian.
  package let low: UInt64

  /// Creates a value from its two halves.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a value from bytes; nil if there are not sixteen.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16, let value = try? Self.decode(bytes.span) else { return nil }
    self = value
  }

  /// The sixteen bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return bytes
  }

  package static var postgresType: PostgresType { .uuid }

  package func encode(into bytes: inout [UInt8]) {
    high.appendBigEndian(to: &bytes)
    low.appendBigEndian(to: &bytes)
  }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> PostgresUUID {
    guard bytes.count == 16 else {
      throw .unexpectedResult("a uuid has \(bytes.count) bytes")
    }
    return PostgresUUID(
      high: try .bigEndian(in: bytes), low: try .bigEndian(in: bytes, at: 8))
  }
}
