/// Neighbouring blocks of people, and who of them is counted: as much of a group as is worked on at
/// a time, so that what is summed up stays in the processor's caches.
package struct GroupSlice: Sendable {
  /// The blocks.
  package let blocks: Range<Int32>
  /// All ones for who is counted, zero for others: what a code is masked with.
  private(set) var masks: [UInt16]

  /// The people of a set who belong to these blocks.
  package init(_ blocks: Range<Int32>, of people: MemberSet) {
    self.blocks = blocks
    masks = Array(repeating: 0, count: blocks.count * DayColumn.people)
    // Blocks begin at bytes of a set.
    let first = Int(blocks.lowerBound) * DayColumn.people / 8
    for byte in 0..<masks.count / 8 where first + byte < people.bytes.count {
      let bits = people.bytes[first + byte]
      if bits == 0 { continue }
      for bit in 0..<8 { masks[8 * byte + bit] = 0 &- UInt16(bits >> UInt8(bit) & 1) }
    }
  }

  /// The member number of the first place.
  var firstMember: Int { Int(blocks.lowerBound) * DayColumn.people }

  /// Counts on only who has values and whose mean of them stands in this relation to a bound, which
  /// is coded as the values are, so that equal ones are equal.
  mutating func keep(_ comparison: SearchComparison, _ bound: UInt16, of values: SliceValues) {
    let code = Double(bound)
    for place in masks.indices where masks[place] != 0 {
      let mean = values.mean(at: place)
      if mean.map({ comparison.holds($0, code) }) != true { masks[place] = 0 }
    }
  }
}

/// The values of one data type of who is counted in a slice: the sums of the codes by person over
/// the days of a period, and by day over the people.
struct SliceValues: Sendable {
  private var sums: [UInt32]
  private var counts: [UInt16]
  private(set) var daySums: [UInt64]
  private(set) var dayPeople: [Int]

  /// The values of a type, given all columns of the slice in a period of so many days.
  init(_ columns: PackedColumns, of type: DataType, _ slice: GroupSlice, days: Int) {
    sums = Array(repeating: 0, count: slice.masks.count)
    counts = Array(repeating: 0, count: slice.masks.count)
    daySums = Array(repeating: 0, count: days)
    dayPeople = Array(repeating: 0, count: days)
    columns.forEach(of: type, in: slice.blocks, days: days) { day, first, column in
      add(column, day: day, first: first, slice.masks)
    }
  }

  /// The mean of the codes at a place; nil without values.
  func mean(at place: Int) -> Double? {
    counts[place] == 0 ? nil : Double(sums[place]) / Double(counts[place])
  }

  /// Takes in the column of the block whose first person is at `first`.
  private mutating func add(_ column: Span<UInt8>, day: Int, first: Int, _ masks: [UInt16]) {
    let (sum, people) = Self.count(column, masks, &sums, &counts, first: first)
    daySums[day] += UInt64(sum)
    dayPeople[day] += Int(people)
  }

  /// Counts the column of the block whose first person is at `first`: the sum of the codes and how
  /// many people have one. Without a branch for a person, so that the processor never guesses.
  private static func count(
    _ column: Span<UInt8>, _ masks: [UInt16], _ sums: inout [UInt32], _ counts: inout [UInt16],
    first: Int
  ) -> (sum: UInt32, people: UInt32) {
    let masks = masks.span
    var sums = sums.mutableSpan
    var counts = counts.mutableSpan
    var sum: UInt32 = 0
    var people: UInt32 = 0
    for place in 0..<DayColumn.people {
      let code =
        (UInt16(column[2 * place]) | UInt16(column[2 * place + 1]) << 8) & masks[first + place]
      let isThere: UInt16 = code == 0 ? 0 : 1
      sums[first + place] &+= UInt32(code)
      counts[first + place] &+= isThere
      // 992 codes of 16 bits stay below 2^26.
      sum &+= UInt32(code)
      people &+= UInt32(isThere)
    }
    return (sum, people)
  }
}
