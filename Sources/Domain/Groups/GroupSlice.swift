/// Consecutive blocks of people, with the selection of those who are counted. A group is processed
/// in slices so that the sums stay in the processor's caches.
package struct GroupSlice: Sendable {
  /// The blocks.
  package let blocks: Range<Int32>
  /// The masks of the codes: all ones for counted people, zero for others.
  private(set) var masks: [UInt16]

  /// Creates a slice with the people of a set who belong to these blocks.
  package init(_ blocks: Range<Int32>, of people: MemberSet) {
    self.blocks = blocks
    masks = Array(repeating: 0, count: blocks.count * DayColumn.people)
    // Blocks start at byte boundaries of a set.
    let first = Int(blocks.lowerBound) * DayColumn.people / 8
    for byte in 0..<masks.count / 8 where first + byte < people.bytes.count {
      let bits = people.bytes[first + byte]
      if bits == 0 { continue }
      for bit in 0..<8 { masks[8 * byte + bit] = 0 &- UInt16(bits >> UInt8(bit) & 1) }
    }
  }

  /// The member number at index 0.
  var firstMember: Int { Int(blocks.lowerBound) * DayColumn.people }

  /// Keeps only people with values whose mean plus level satisfies a comparison with a bound in
  /// steps. Without the level, a person's presence in an answer would reveal their mean.
  mutating func keep(_ comparison: SearchComparison, _ bound: Double, of values: SliceValues) {
    for place in masks.indices where masks[place] != 0 {
      let level = values.level(at: place)
      if level.map({ comparison.holds($0, bound) }) != true { masks[place] = 0 }
    }
  }
}

/// The values of one data type of the counted people of a slice: the sums of steps and bins by
/// person over the days of a period, and of steps by day over the people. Each day value includes
/// the level of its person.
struct SliceValues: Sendable {
  private let levels: [Int16]
  private var sums: [UInt32]
  private var bins: [UInt16]
  private var counts: [UInt16]
  private(set) var daySums: [Int64]
  private(set) var dayPeople: [Int]

  /// Computes the sums of a type, given all columns of the slice in a period of this many days.
  init(
    _ columns: PackedColumns, of type: DataType, _ slice: GroupSlice, days: Int,
    noise: PersonNoise
  ) {
    levels = noise.levels(type, from: slice.firstMember, count: slice.masks.count)
    sums = Array(repeating: 0, count: slice.masks.count)
    bins = Array(repeating: 0, count: slice.masks.count)
    counts = Array(repeating: 0, count: slice.masks.count)
    daySums = Array(repeating: 0, count: days)
    dayPeople = Array(repeating: 0, count: days)
    var codes = [UInt16](repeating: 0, count: DayColumn.people)
    columns.forEach(of: type, in: slice.blocks, days: days) { day, first, column in
      add(column, day: day, first: first, slice.masks, &codes)
    }
  }

  /// The mean of the steps at an index, with the person's level; nil without values.
  func level(at place: Int) -> Double? {
    guard counts[place] > 0 else { return nil }
    return Double(sums[place]) / Double(counts[place]) + Double(levels[place])
  }

  /// The bin of the mean at an index with values: the mean of the days' bins, which do not include
  /// the days' draws.
  func bin(at place: Int) -> Int {
    let count = UInt32(counts[place])
    return Int((2 * UInt32(bins[place]) + count) / (2 * count))
  }

  /// Adds the column of the block whose first person is at `first`; `codes` has room for one
  /// column.
  private mutating func add(
    _ column: Span<UInt8>, day: Int, first: Int, _ masks: [UInt16], _ codes: inout [UInt16]
  ) {
    let places = first..<first + DayColumn.people
    var codeSpan = codes.mutableSpan
    ColumnLoops.read(column, masks.span.extracting(places), into: &codeSpan)
    var sumSpan = sums.mutableSpan
    ColumnLoops.addSteps(codeSpan.span, to: &sumSpan, from: first)
    var binSpan = bins.mutableSpan
    ColumnLoops.addBins(codeSpan.span, to: &binSpan, from: first)
    var countSpan = counts.mutableSpan
    ColumnLoops.addDays(codeSpan.span, to: &countSpan, from: first)
    let (sum, people) = ColumnLoops.totals(codeSpan.span, levels.span.extracting(places))
    daySums[day] += Int64(sum)
    dayPeople[day] += Int(people)
  }
}
