/// The coded values of one data type on one day, for a block of people with consecutive member
/// numbers: two bytes each, in little-endian order.
package struct DayColumn: Hashable, Sendable {
  /// People per block; a row of this size fills a quarter of a page of PostgreSQL. A multiple of
  /// eight, so that the blocks of a bitmap start at byte boundaries.
  package static let people = 992
  /// The bytes of a column.
  package static let byteCount = 2 * people

  /// The stored bytes.
  package private(set) var bytes: [UInt8]

  /// Creates a column without values.
  package init() { bytes = Array(repeating: 0, count: Self.byteCount) }

  /// Creates a column from stored bytes; nil for another length.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The code at an index in the block, from 0 to 991; 0 for no value.
  package subscript(index: Int) -> UInt16 {
    get { UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8 }
    set {
      bytes[2 * index] = UInt8(truncatingIfNeeded: newValue)
      bytes[2 * index + 1] = UInt8(truncatingIfNeeded: newValue >> 8)
    }
  }

  /// Copies the codes of another column wherever this one has none.
  package mutating func addMissing(from other: DayColumn) {
    for index in 0..<Self.people where self[index] == 0 { self[index] = other[index] }
  }

  /// Whether no person has a value.
  package var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
}

/// The position of a member's codes.
package struct ColumnPosition: Hashable, Sendable {
  /// The number of the block.
  package let block: Int32
  /// The index in the block, from 0.
  package let index: Int

  /// The position of a member number, which must not be negative.
  package init(member: Int32) {
    block = member / Int32(DayColumn.people)
    index = Int(member) % DayColumn.people
  }

  /// The member numbers of a block.
  package static func members(ofBlock block: Int32) -> Range<Int32> {
    let people = Int32(DayColumn.people)
    return block * people..<(block + 1) * people
  }
}
