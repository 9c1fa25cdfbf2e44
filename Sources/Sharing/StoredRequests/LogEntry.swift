import Domain

/// A range of numbers in a third party's sequence and the corresponding range of the account's.
struct LogEntry: Sendable, Equatable {
  let firstNumber: Int64
  let lastNumber: Int64
  let types: DataTypeSet
  let firstAccountSequence: Int64

  var lastAccountSequence: Int64 { firstAccountSequence + (lastNumber - firstNumber) }

  /// The rest of the entry from one of the third party's numbers on.
  func from(_ number: Int64) -> LogEntry {
    guard number > firstNumber else { return self }
    return LogEntry(
      firstNumber: number, lastNumber: lastNumber, types: types,
      firstAccountSequence: firstAccountSequence + (number - firstNumber))
  }
}

/// Consecutive entries of the account's sequence with the same types: one query to the store
/// instead of one per entry.
struct LogRun: Sendable, Equatable {
  private(set) var entries: [LogEntry]

  var types: DataTypeSet { entries[0].types }
  var sequences: ClosedRange<Int64> {
    entries[0].firstAccountSequence...entries[entries.count - 1].lastAccountSequence
  }

  /// Groups entries in the order of their numbers.
  static func runs(of entries: [LogEntry]) -> [LogRun] {
    var runs: [LogRun] = []
    for entry in entries {
      if let last = runs.last, last.types == entry.types,
        last.sequences.upperBound + 1 == entry.firstAccountSequence
      {
        runs[runs.count - 1].entries.append(entry)
      } else {
        runs.append(LogRun(entries: [entry]))
      }
    }
    return runs
  }

  /// The third party's number of a sample of the run. `index` advances to the entry that holds it;
  /// samples must be passed in their order.
  func number(of sequence: Int64, from index: inout Int) -> Int64 {
    while index + 1 < entries.count, entries[index].lastAccountSequence < sequence { index += 1 }
    let entry = entries[index]
    return entry.firstNumber + (sequence - entry.firstAccountSequence)
  }
}
