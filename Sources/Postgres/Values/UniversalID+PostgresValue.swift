import Bytes

extension UniversalID: PostgresValue {
  package static var postgresType: PostgresType { .uuid }

  package func encode(into bytes: inout [UInt8]) {
    high.appendBigEndian(to: &bytes)
    low.appendBigEndian(to: &bytes)
  }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> UniversalID {
    guard let id = UniversalID(bytes: bytes) else {
      throw .unexpectedResult("a uuid has \(bytes.count) bytes")
    }
    return id
  }
}
