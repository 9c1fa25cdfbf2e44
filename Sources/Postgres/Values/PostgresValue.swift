import Time

/// A Swift type usable as a parameter or column, in PostgreSQL's binary format.
///
/// The conforming types are `Bool`, `Int16`, `Int32`, `Int` and `Int64` (int8), `Float`, `Double`,
/// `String` (text), `[UInt8]` (bytea), `UniversalID`, `Instant` (timestamptz), `PostgresDate`,
/// optionals of them, and arrays of them. A type with a raw value of one of these conforms by an
/// empty extension:
///
///     extension AccountID: PostgresValue {}
package protocol PostgresValue: Sendable {
  /// The server's type of this value.
  static var postgresType: PostgresType { get }
  /// The server's type of an array of this type: bytea for bytes, the array type otherwise.
  static var postgresArrayType: PostgresType { get }
  /// Whether the type has a value for NULL: true only for optionals.
  static var isNullable: Bool { get }
  /// Whether this value is NULL; `encode` is not called for NULL.
  var isNull: Bool { get }

  /// Appends the value in binary format, without its length.
  func encode(into bytes: inout [UInt8])
  /// Decodes the value from exactly these bytes.
  ///
  /// Throws `PostgresError.unexpectedResult` if they are not a valid value.
  static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Self
  /// The value for NULL; throws `PostgresError.unexpectedResult` if the type has none.
  static func decodeNull() throws(PostgresError) -> Self

  /// Appends an array of these values in binary format, without its length.
  static func encode(array: [Self], into bytes: inout [UInt8])
  /// Decodes an array of these values from exactly these bytes.
  static func decode(array bytes: Span<UInt8>) throws(PostgresError) -> [Self]
}

extension PostgresValue {
  package static var postgresArrayType: PostgresType { postgresType.array }
  package static var isNullable: Bool { false }
  package var isNull: Bool { false }

  package static func decodeNull() throws(PostgresError) -> Self {
    throw .unexpectedResult("a value is NULL instead of \(postgresType)")
  }
}

extension PostgresValue where Self: RawRepresentable, RawValue: PostgresValue {
  package static var postgresType: PostgresType { RawValue.postgresType }

  package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Self {
    guard let value = Self(rawValue: try RawValue.decode(bytes)) else {
      throw .unexpectedResult("a \(postgresType) is not a valid \(Self.self)")
    }
    return value
  }
}

extension PostgresValue where Self: RawRepresentable, RawValue: PostgresInteger {
  package static func encode(array: [Self], into bytes: inout [UInt8]) {
    RawValue.encode(array: array.map(\.rawValue), into: &bytes)
  }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
  package static var postgresType: PostgresType { Wrapped.postgresType }
  package static var isNullable: Bool { true }
  package var isNull: Bool { self == nil }

  package func encode(into bytes: inout [UInt8]) { self?.encode(into: &bytes) }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Wrapped? {
    try Wrapped.decode(bytes)
  }

  package static func decodeNull() throws(PostgresError) -> Wrapped? { nil }
}
