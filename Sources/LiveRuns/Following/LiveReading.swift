import Domain
import Runs

/// A paged read of all data that some runners of a run have shared, so that large amounts delay
/// nothing else.
struct LiveReading {
  /// The next page.
  private(set) var page: DataOfRun
  /// The runners whose data is not completely read yet.
  private(set) var numbers: Set<Int32>
  /// Whether the last page was processed.
  private(set) var isOver = false
  private var begun: Runner?
  /// The ranges still to be read after the range of the page, the last one first.
  private var ranges: [ClosedRange<Int32>]

  /// The stored data of a runner.
  struct Runner {
    let number: Int32
    /// Nil without stored data.
    var data: CheckInSamples?
    /// The number of rows read.
    var rows = 0

    /// Begins with a row.
    init(number: Int32, begunBy row: CheckInSamples? = nil) {
      self.number = number
      guard let row else { return }
      data = CheckInSamples(
        runID: row.runID, number: number, streamSeq: row.streamSeq, samples: [])
      join(row)
    }

    /// Adds a row, up to the number of samples that count.
    mutating func join(_ row: CheckInSamples) {
      data?.join(row, countMax: CheckInSamples.countedMax)
      rows += 1
    }

    /// Whether no further samples of the runner count.
    var isFull: Bool { data.map { $0.samples.count >= CheckInSamples.countedMax } ?? false }
  }

  /// Begins to read these runners, or all of a run.
  init(of runID: Int64, _ numbers: Set<Int32>, areAll: Bool) {
    self.numbers = numbers
    ranges = areAll ? [DataOfRun.everybody] : Self.ranges(of: numbers)
    page = DataOfRun(runID: runID, ranges.popLast() ?? DataOfRun.everybody)
  }

  /// Groups consecutive numbers, the greatest first: runners between the groups may have much
  /// stored data.
  private static func ranges(of numbers: Set<Int32>) -> [ClosedRange<Int32>] {
    var ranges: [ClosedRange<Int32>] = []
    for number in numbers.sorted(by: >) {
      if let last = ranges.last, last.lowerBound == number + 1 {
        ranges[ranges.count - 1] = number...last.upperBound
      } else {
        ranges.append(number...number)
      }
    }
    return ranges
  }

  /// Discards the data read of a runner, so that another pass reads it again.
  mutating func drop(_ number: Int32) { numbers.remove(number) }

  /// Processes the rows of the page.
  ///
  /// - Returns: the runners whose data is now complete, including those without stored data; from
  ///   now on their new rows are counted.
  mutating func take(_ rows: [CheckInSamples]) -> [Runner] {
    var whole: [Int32: Runner] = [:]
    for row in rows {
      if begun?.number == row.number {
        begun?.join(row)
      } else {
        if let begun { whole[begun.number] = begun }
        begun = Runner(number: row.number, begunBy: row)
      }
    }
    let passed: Int32
    if rows.count == page.limit, let last = rows.last {
      passed = last.number - 1
      if begun?.isFull == true {
        page.advance(afterRunner: last.number)
      } else {
        page.advance(after: last)
      }
    } else {
      passed = page.lastNumber
      if let begun { whole[begun.number] = begun }
      begun = nil
      if let next = ranges.popLast() {
        page = DataOfRun(runID: page.runID, next)
      } else {
        isOver = true
      }
    }
    let done = numbers.filter { $0 <= passed }
    numbers.subtract(done)
    return done.map { whole[$0] ?? Runner(number: $0) }
  }
}
