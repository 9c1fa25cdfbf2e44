/// Counts a group over a period, slice by slice: the matching people's values of each requested
/// data type.
package struct GroupCount: Sendable {
  /// A condition on the mean of a data type over the period.
  package typealias Condition = (type: DataType, comparison: SearchComparison, bound: Double)

  private let period: ClosedRange<Int32>
  private let noise: PersonNoise
  private let conditions: [(type: DataType, comparison: SearchComparison, bound: Double)]
  /// The counts of each type.
  package private(set) var tallies: [(type: DataType, tally: GroupTally)]

  /// Creates empty counts with this noise for each person; nil if a type has no numbers.
  package init?(
    _ types: DataTypeSet, where conditions: [Condition], period: ClosedRange<Int32>, parts: Int,
    noise: PersonNoise
  ) {
    self.period = period
    self.noise = noise
    self.conditions = conditions.compactMap { condition in
      DayValueCode(condition.type).map {
        (condition.type, condition.comparison, $0.step(of: condition.bound))
      }
    }
    tallies = types.compactMap { type in
      DayValueCode(type).map { coding in
        let isChosen = conditions.contains { $0.type == type }
        return (
          type,
          GroupTally(coding, period: period, parts: parts, noise: noise, isChosenByLevel: isChosen)
        )
      }
    }
    guard self.conditions.count == conditions.count, tallies.count == types.count else {
      return nil
    }
  }

  /// Counts the next slice: the people of some blocks who match the conditions on accounts, with
  /// all columns of these blocks. `parts` holds the number of each member's part, from 1.
  package mutating func add(
    _ columns: PackedColumns, _ people: GroupSlice, parts: [UInt8]
  ) {
    var slice = people
    for (type, comparison, bound) in conditions {
      let values = SliceValues(columns, of: type, slice, days: period.count, noise: noise)
      slice.keep(comparison, bound, of: values)
    }
    for index in tallies.indices {
      tallies[index].tally.add(columns, of: tallies[index].type, slice, parts: parts)
    }
  }

  /// Appends the counts of the following slices.
  package mutating func append(_ next: GroupCount) {
    for index in tallies.indices { tallies[index].tally.append(next.tallies[index].tally) }
  }
}
