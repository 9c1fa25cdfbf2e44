import Bytes

/// The location of a sealed value: it opens only for the table, column and row it was sealed for.
///
/// The encoding is version, length and name of the table, length and name of the column, number of
/// row keys, and each key as eight bytes, so that no two locations have the same encoding.
package struct SealContext: Sendable {
  /// The longest name of a table or column in bytes (PostgreSQL's own limit).
  package static let nameBytesMax = 63
  /// The longest encoding in bytes.
  package static let encodedBytesMax = 3 + 2 * nameBytesMax + 1 + 8 * SealRow.keysMax
  private let table: StaticString
  private let column: StaticString
  private let row: SealRow

  /// Creates a location; table and column are constants of the program, at most 63 bytes each.
  package init(table: StaticString, column: StaticString, row: SealRow) {
    precondition(table.hasPointerRepresentation && column.hasPointerRepresentation)
    precondition(max(table.utf8CodeUnitCount, column.utf8CodeUnitCount) <= Self.nameBytesMax)
    self.table = table
    self.column = column
    self.row = row
  }

  /// Passes the encoding to `body`, without an allocation.
  package func withEncoded<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var buffer = InlineArray<192, UInt8>(repeating: 0)
    var output = buffer.mutableSpan
    var count = 0
    output[0] = 1
    count = append(table, to: &output, at: 1)
    count = append(column, to: &output, at: count)
    output[count] = UInt8(row.count)
    count += 1
    for key in 0..<row.count {
      let bytes = bigEndianBytes(row.keys[key])
      for index in bytes.indices { output[count + index] = bytes[index] }
      count += 8
    }
    return try body(buffer.span.extracting(first: count))
  }

  private func append(
    _ name: StaticString, to output: inout MutableSpan<UInt8>, at start: Int
  ) -> Int {
    let length = name.utf8CodeUnitCount
    output[start] = UInt8(length)
    // SAFETY: the initialiser checked that the name is stored as `length` constant bytes.
    let bytes = unsafe UnsafeBufferPointer(start: name.utf8Start, count: length)
    for index in 0..<length { output[start + 1 + index] = unsafe bytes[index] }
    return start + 1 + length
  }
}

/// The primary key of a sealed value's row (and of the block within it): one to six numbers.
package struct SealRow: Sendable {
  /// The largest number of numbers in a row's key.
  package static let keysMax = 6
  let count: Int
  let keys: InlineArray<6, UInt64>

  /// Identifies a row by up to six numbers; all rows of one table use the same number of them.
  package init(
    _ first: Int64, _ second: Int64? = nil, _ third: Int64? = nil, _ fourth: Int64? = nil,
    _ fifth: Int64? = nil, _ sixth: Int64? = nil
  ) {
    var count = 1
    var keys = InlineArray<6, UInt64>(repeating: 0)
    keys[0] = UInt64(bitPattern: first)
    func add(_ key: Int64?) {
      guard let key else { return }
      keys[count] = UInt64(bitPattern: key)
      count += 1
    }
    add(second)
    add(third)
    add(fourth)
    add(fifth)
    add(sixth)
    self.count = count
    self.keys = keys
  }

  /// Identifies a row by an identifier.
  package init(_ identifier: UniversalID) {
    self.init(Int64(bitPattern: identifier.high), Int64(bitPattern: identifier.low))
  }

  /// Identifies a row by a digest, such as a blind index.
  package init(_ value: some DigestValue) {
    let bytes = value.digest.inlineBytes
    let words = InlineArray<4, Int64> {
      Int64(bitPattern: bytes.span.bigEndianWord(at: 8 * $0))
    }
    self.init(words[0], words[1], words[2], words[3])
  }
}
