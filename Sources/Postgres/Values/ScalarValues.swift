/// An integer that is stored as it is. Arrays of such integers are encoded without asking each
/// element for its length.
package protocol PostgresInteger: PostgresValue, FixedWidthInteger {}

extension PostgresInteger {
  package static func encode(array: [Self], into bytes: inout [UInt8]) {
    appendHeader(of: array, hasNulls: false, to: &bytes)
    let width = bitWidth / 8
    bytes.append(addingCapacity: array.count * (4 + width)) { output in
      for element in array {
        Int32(width).appendBigEndian(to: &output)
        element.appendBigEndian(to: &output)
      }
    }
  }
}

extension Bool: PostgresValue {
  package static var postgresType: PostgresType { .bool }
  package func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Bool {
    try UInt8.bigEndian(exactly: bytes) != 0
  }
}

extension Int16: PostgresInteger {
  package static var postgresType: PostgresType { .int2 }
  package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int16 {
    try bigEndian(exactly: bytes)
  }
}

extension Int32: PostgresInteger {
  package static var postgresType: PostgresType { .int4 }
  package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int32 {
    try bigEndian(exactly: bytes)
  }
}

extension Int64: PostgresInteger {
  package static var postgresType: PostgresType { .int8 }
  package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int64 {
    try bigEndian(exactly: bytes)
  }
}

extension Int: PostgresValue {
  package static var postgresType: PostgresType { .int8 }
  package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int {
    try bigEndian(exactly: bytes)
  }
}

extension Float: PostgresValue {
  package static var postgresType: PostgresType { .float4 }
  package func encode(into bytes: inout [UInt8]) { bitPattern.appendBigEndian(to: &bytes) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Float {
    Float(bitPattern: try .bigEndian(exactly: bytes))
  }
}

extension Double: PostgresValue {
  package static var postgresType: PostgresType { .float8 }
  package func encode(into bytes: inout [UInt8]) { bitPattern.appendBigEndian(to: &bytes) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Double {
    Double(bitPattern: try .bigEndian(exactly: bytes))
  }
}

/// Text. PostgreSQL cannot store U+0000: the server rejects it with SQLSTATE 22021.
extension String: PostgresValue {
  package static var postgresType: PostgresType { .text }
  package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> String {
    guard let span = try? UTF8Span(validating: bytes) else {
      throw .unexpectedResult("a text is not UTF-8")
    }
    return String(copying: span)
  }
}
