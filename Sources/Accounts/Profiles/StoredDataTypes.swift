import Domain
import Postgres

// The column values of data types.

extension DataType: PostgresValue {}

extension DataTypeSet: PostgresValue {
  /// int8, one bit per type.
  package static var postgresType: PostgresType { .int8 }

  /// The bits.
  package func encode(into bytes: inout [UInt8]) { Int64(bits).encode(into: &bytes) }

  /// - Throws: `PostgresError.unexpectedResult` for another length.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> DataTypeSet {
    DataTypeSet(bits: UInt32(truncatingIfNeeded: try Int64.decode(bytes)))
  }
}

extension DataTypeSet {
  /// The set as a column holds it.
  package init(stored: Int64) { self.init(bits: UInt32(truncatingIfNeeded: stored)) }

  /// The set as a column holds it.
  package var storedBits: Int64 { Int64(bits) }
}
