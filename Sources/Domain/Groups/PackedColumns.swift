/// Columns of several types, days and blocks, concatenated as the database returns them. Before
/// each column are eight bytes: the type (one byte), the day from the start of the period (three
/// bytes), and the block (four bytes), big-endian.
package struct PackedColumns: Sendable {
  /// The bytes of a column with its header.
  package static let rowBytes = 8 + DayColumn.byteCount

  /// The bytes.
  package let bytes: [UInt8]

  /// Creates columns from received bytes; an incomplete column at the end is ignored.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Passes the day, the first index of the block within `blocks`, and the codes of each column of
  /// a type to `body`. Skips days from `days` on, and blocks outside `blocks`.
  func forEach(
    of type: DataType, in blocks: Range<Int32>, days: Int,
    _ body: (_ day: Int, _ first: Int, _ column: Span<UInt8>) -> Void
  ) {
    let bytes = bytes.span
    for start in stride(from: 0, to: bytes.count - Self.rowBytes + 1, by: Self.rowBytes)
    where Int(bytes[start]) == Int(type.rawValue) {
      let day = Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
      let block = Int32(
        bitPattern: UInt32(bytes[start + 4]) << 24 | UInt32(bytes[start + 5]) << 16
          | UInt32(bytes[start + 6]) << 8 | UInt32(bytes[start + 7]))
      guard day < days, blocks.contains(block) else { continue }
      body(
        day, Int(block - blocks.lowerBound) * DayColumn.people,
        bytes.extracting(start + 8..<start + Self.rowBytes))
    }
  }
}
