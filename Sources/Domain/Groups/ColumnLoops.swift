/// Loops over the people of one column. Each checks its lengths once and writes to at most one
/// array: the compiler vectorises such loops, but not a single loop with all sums and checks.
enum ColumnLoops {
  /// The codes of a column, zero for people who are masked out.
  static func read(
    _ column: Span<UInt8>, _ masks: Span<UInt16>, into codes: inout MutableSpan<UInt16>
  ) {
    precondition(
      column.count == DayColumn.byteCount && masks.count == DayColumn.people
        && codes.count == DayColumn.people)
    for index in 0..<DayColumn.people {
      codes[index] =
        (UInt16(column[2 * index]) | UInt16(column[2 * index + 1]) << 8) & masks[index]
    }
  }

  /// Adds each person's step to the sums that start at `first`.
  static func addSteps(
    _ codes: Span<UInt16>, to sums: inout MutableSpan<UInt32>, from first: Int
  ) {
    precondition(
      codes.count == DayColumn.people && first >= 0 && first <= sums.count - DayColumn.people)
    for index in 0..<DayColumn.people { sums[first &+ index] &+= UInt32(codes[index] >> 3) }
  }

  /// Adds each person's bin to the sums that start at `first`.
  static func addBins(
    _ codes: Span<UInt16>, to sums: inout MutableSpan<UInt16>, from first: Int
  ) {
    precondition(
      codes.count == DayColumn.people && first >= 0 && first <= sums.count - DayColumn.people)
    for index in 0..<DayColumn.people { sums[first &+ index] &+= codes[index] & 7 }
  }

  /// Increments the day counts that start at `first` for each person with a value.
  static func addDays(
    _ codes: Span<UInt16>, to counts: inout MutableSpan<UInt16>, from first: Int
  ) {
    precondition(
      codes.count == DayColumn.people && first >= 0 && first <= counts.count - DayColumn.people)
    for index in 0..<DayColumn.people { counts[first &+ index] &+= codes[index] == 0 ? 0 : 1 }
  }

  /// The sum of the steps and levels of the people with a value, and the number of those people.
  static func totals(
    _ codes: Span<UInt16>, _ levels: Span<Int16>
  ) -> (sum: Int32, people: Int32) {
    precondition(codes.count == DayColumn.people && levels.count == DayColumn.people)
    var sum: Int32 = 0
    var people: Int32 = 0
    for index in 0..<DayColumn.people {
      let code = codes[index]
      let isThere: Int16 = code == 0 ? 0 : 1
      // 992 steps and levels of 14 bits stay below 2^24.
      sum &+= Int32(code >> 3) &+ Int32(levels[index] & (0 &- isThere))
      people &+= Int32(isThere)
    }
    return (sum, people)
  }
}
