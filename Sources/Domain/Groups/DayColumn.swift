/// The coded values of one data type on one day, of a block of people whose member numbers are
/// neighbours: two bytes each, the lower one first.
package struct DayColumn: Hashable, Sendable {
  /// People of a block: with them a row fills a quarter of a page of PostgreSQL. A multiple of
  /// eight, so that blocks of a bitmap begin at bytes.
  package static let people = 992
  /// The bytes of a column.
  package static let byteCount = 2 * people

  /// The bytes as they are stored.
  package private(set) var bytes: [UInt8]

  /// No values.
  package init() { bytes = Array(repeating: 0, count: Self.byteCount) }

  /// The stored bytes; nil for another length.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The code of a place in the block, from 0 to 991; 0 for none.
  package subscript(place: Int) -> UInt16 {
    get { UInt16(bytes[2 * place]) | UInt16(bytes[2 * place + 1]) << 8 }
    set {
      bytes[2 * place] = UInt8(truncatingIfNeeded: newValue)
      bytes[2 * place + 1] = UInt8(truncatingIfNeeded: newValue >> 8)
    }
  }

  /// Takes the codes of another column in where this one has none.
  package mutating func addMissing(from other: DayColumn) {
    for place in 0..<Self.people where self[place] == 0 { self[place] = other[place] }
  }

  /// Whether nobody has a value.
  package var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
}

/// Where a member's codes lie.
package struct DayPlace: Hashable, Sendable {
  /// The number of the block.
  package let block: Int32
  /// The place in it, from 0 on.
  package let place: Int

  /// The place of a member number, which is not negative.
  package init(member: Int32) {
    block = member / Int32(DayColumn.people)
    place = Int(member) % DayColumn.people
  }

  /// The member numbers of a block.
  package static func members(ofBlock block: Int32) -> Range<Int32> {
    let people = Int32(DayColumn.people)
    return block * people..<(block + 1) * people
  }
}
