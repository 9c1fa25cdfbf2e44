/// Columns of several types, days and blocks, one after the other as the database gives them: each
/// behind eight bytes of which the first is the type, the next three the day from the first of the
/// period on, and the last four the block, the highest byte first.
package struct PackedColumns: Sendable {
  /// The bytes of a column with what it is.
  package static let rowBytes = 8 + DayColumn.byteCount

  /// The bytes.
  package let bytes: [UInt8]

  /// Columns as they came; what is cut off at the end is left out.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Gives the day, the first place of the block within `blocks`, and the codes of each column of a
  /// type. Days from `days` on and other blocks are left out.
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
