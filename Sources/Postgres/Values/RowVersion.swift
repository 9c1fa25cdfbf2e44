/// The version of a row: the transaction that wrote it, which is its system column `xmin`. Each
/// transaction that updates the row changes it; locks and freezing do not (manual of PostgreSQL 15,
/// sections 5.5 and 25.1.5).
///
/// A write with the condition that a row has a version changes only what was read with it.
package struct RowVersion: Hashable, Sendable, PostgresValue {
  /// The number of the transaction, modulo 2^32.
  package let transaction: UInt32

  /// The version that this transaction wrote.
  package init(transaction: UInt32) {
    self.transaction = transaction
  }

  /// xid.
  package static var postgresType: PostgresType { .xid }

  /// The number in four bytes.
  package func encode(into bytes: inout [UInt8]) { transaction.appendBigEndian(to: &bytes) }

  /// Throws `PostgresError.unexpectedResult` for anything but four bytes.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> RowVersion {
    RowVersion(transaction: try .bigEndian(exactly: bytes))
  }
}
