// One-dimensional arrays in the format of `array_send` and `array_recv` (PostgreSQL's
// arrayfuncs.c): number of dimensions, a flag for NULLs, the element type, each dimension's length
// and lower bound, then each element after its length (-1 for NULL).

extension Array: PostgresValue where Element: PostgresValue {
  package static var postgresType: PostgresType { Element.postgresArrayType }

  package func encode(into bytes: inout [UInt8]) {
    Element.encode(array: self, into: &bytes)
  }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> [Element] {
    try Element.decode(array: bytes)
  }
}

extension PostgresValue {
  /// Appends what precedes the elements of an array.
  static func appendHeader(of array: [Self], hasNulls: Bool, to bytes: inout [UInt8]) {
    Int32(array.isEmpty ? 0 : 1).appendBigEndian(to: &bytes)
    Int32(hasNulls ? 1 : 0).appendBigEndian(to: &bytes)
    postgresType.oid.appendBigEndian(to: &bytes)
    if array.isEmpty { return }
    Int32(array.count).appendBigEndian(to: &bytes)
    Int32(1).appendBigEndian(to: &bytes)
  }

  package static func encode(array: [Self], into bytes: inout [UInt8]) {
    let hasNulls = isNullable && array.contains { $0.isNull }
    appendHeader(of: array, hasNulls: hasNulls, to: &bytes)
    for element in array {
      if hasNulls, element.isNull {
        Int32(-1).appendBigEndian(to: &bytes)
        continue
      }
      let start = bytes.count
      Int32(0).appendBigEndian(to: &bytes)
      element.encode(into: &bytes)
      let length = UInt32(bytes.count - start - 4)
      for index in 0..<4 {
        bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index)))
      }
    }
  }

  package static func decode(array bytes: Span<UInt8>) throws(PostgresError) -> [Self] {
    let dimensions: Int32 = try .bigEndian(in: bytes)
    guard try UInt32.bigEndian(in: bytes, at: 8) == postgresType.oid else {
      throw .unexpectedResult("an array has elements of a type other than \(postgresType)")
    }
    if dimensions == 0 { return [] }
    guard dimensions == 1 else {
      throw .unexpectedResult("an array has \(dimensions) dimensions")
    }
    let count = Int(try Int32.bigEndian(in: bytes, at: 12))
    var offset = 20
    // Each element takes at least four bytes: a larger count is rejected before anything is
    // allocated.
    guard count >= 0, count <= (bytes.count - offset) / 4 else {
      throw .unexpectedResult("an array is shorter than its declared length")
    }
    var array: [Self] = []
    array.reserveCapacity(count)
    for _ in 0..<count {
      let length = Int(try Int32.bigEndian(in: bytes, at: offset))
      offset += 4
      if length == -1 {
        array.append(try decodeNull())
        continue
      }
      guard length >= 0, length <= bytes.count - offset else {
        throw .unexpectedResult("an array is shorter than its declared length")
      }
      array.append(try decode(bytes.extracting(offset..<offset + length)))
      offset += length
    }
    return array
  }
}

/// A byte. A single one is sent as int2, an array of them as bytea.
extension UInt8: PostgresValue {
  package static var postgresType: PostgresType { .int2 }
  package static var postgresArrayType: PostgresType { .bytea }

  package func encode(into bytes: inout [UInt8]) { Int16(self).appendBigEndian(to: &bytes) }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> UInt8 {
    guard let byte = UInt8(exactly: try Int16.bigEndian(exactly: bytes)) else {
      throw .unexpectedResult("an int2 is outside the range of a byte")
    }
    return byte
  }

  package static func encode(array: [UInt8], into bytes: inout [UInt8]) {
    bytes.append(contentsOf: array)
  }

  package static func decode(array bytes: Span<UInt8>) throws(PostgresError) -> [UInt8] {
    unsafe bytes.withUnsafeBufferPointer {
      // SAFETY: the array copies the bytes during the call, while the span is valid.
      unsafe [UInt8]($0)
    }
  }
}
