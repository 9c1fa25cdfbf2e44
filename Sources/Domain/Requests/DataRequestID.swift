import Bytes

/// The identifier of a single or group request, a UUID (RFC 9562): `reqID`.
package struct DataRequestID: Hashable, Sendable, CustomStringConvertible {
  /// The identifier without its meaning.
  package let id: UniversalID

  /// The first eight bytes, big endian.
  package var high: UInt64 { id.high }
  /// The last eight bytes, big endian.
  package var low: UInt64 { id.low }

  /// The request of this identifier.
  package init(_ id: UniversalID) { self.id = id }

  /// Creates a UUID from its sixteen bytes.
  package init(high: UInt64, low: UInt64) { self.init(UniversalID(high: high, low: low)) }

  /// Creates a UUID of version 4 from 128 random bits; six of them are overwritten.
  package init(random high: UInt64, _ low: UInt64) { self.init(UniversalID(random: high, low)) }

  /// Parses `8-4-4-4-12` hexadecimal digits in either case; nil for anything else.
  package init?(utf8: Span<UInt8>) {
    guard let id = UniversalID(utf8) else { return nil }
    self.init(id)
  }

  /// Parses a UUID as `init(utf8:)` does.
  package init?(_ text: String) { self.init(utf8: text.utf8Span.span) }

  /// `8-4-4-4-12` hexadecimal digits in lower case.
  package var description: String { id.description }
}
