import Bytes
import Cryptography
import Domain
import Postgres

// The column values of types from the domain and of cryptography.

extension AccountID: PostgresValue {}

extension PostgresValue where Self: DigestValue {
  /// bytea of 32 bytes.
  package static var postgresType: PostgresType { .bytea }

  /// The 32 bytes.
  package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }

  /// - Throws: `PostgresError.unexpectedResult` for another length.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Self {
    do throws(CryptographyError) { return try Self(bytes: bytes) } catch {
      throw .unexpectedResult("a digest has \(bytes.count) bytes")
    }
  }
}

extension BlindValue: PostgresValue {}
extension TokenHash: PostgresValue {}
extension IdempotencyName: PostgresValue {}
extension AuditLink: PostgresValue {}
extension AuditAnchorCode: PostgresValue {}

extension DataRequestID: PostgresValue {
  /// uuid.
  package static var postgresType: PostgresType { .uuid }

  /// The sixteen bytes.
  package func encode(into bytes: inout [UInt8]) {
    id.encode(into: &bytes)
  }

  /// - Throws: `PostgresError.unexpectedResult` for another length.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> DataRequestID {
    DataRequestID(try UniversalID.decode(bytes))
  }
}

extension CalendarDate: PostgresValue {
  /// date.
  package static var postgresType: PostgresType { PostgresDate.postgresType }

  /// The day.
  package func encode(into bytes: inout [UInt8]) {
    PostgresDate(daysSince1970: Int32(clamping: daysSince1970)).encode(into: &bytes)
  }

  /// - Throws: `PostgresError.unexpectedResult` for a value that is not a finite date.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> CalendarDate {
    CalendarDate(daysSince1970: Int(try PostgresDate.decode(bytes).daysSince1970))
  }
}
