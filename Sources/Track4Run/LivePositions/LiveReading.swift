import Domain

/// A reading under way of everything that some runners of a run have shared, page by page, so that
/// it holds up nothing else however much there is.
struct LiveReading {
  /// The next page.
  private(set) var page: DataOfRun
  /// The runners of whom not everything was read yet.
  private(set) var numbers: Set<Int32>
  /// Whether the last page was taken.
  private(set) var isOver = false
  private var begun: Runner?
  /// What is to be read behind the range of the page, the last one first.
  private var ranges: [ClosedRange<Int32>]

  /// What is stored of a runner.
  struct Runner {
    let number: Int32
    /// Nil where nothing is.
    var data: CheckInSamples?
    /// In how many rows.
    var rows = 0

    /// What began with a row.
    init(number: Int32, begunBy row: CheckInSamples? = nil) {
      self.number = number
      guard let row else { return }
      data = CheckInSamples(
        runID: row.runID, number: number, streamSeq: row.streamSeq, samples: [])
      join(row)
    }

    /// Takes another row, as far as it counts.
    mutating func join(_ row: CheckInSamples) {
      data?.join(row, countMax: CheckInSamples.countedMax)
      rows += 1
    }

    /// Whether nothing more of the runner counts.
    var isFull: Bool { data.map { $0.samples.count >= CheckInSamples.countedMax } ?? false }
  }

  /// Begins to read of these runners, or of all of a run.
  init(of runID: Int64, _ numbers: Set<Int32>, areAll: Bool) {
    self.numbers = numbers
    ranges = areAll ? [DataOfRun.everybody] : Self.ranges(of: numbers)
    page = DataOfRun(runID: runID, ranges.popLast() ?? DataOfRun.everybody)
  }

  /// The numbers that follow each other together, the greatest first: between them may be others of
  /// whom much is stored.
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

  /// What was read of a runner counts no longer: it is to be read again by another reading.
  mutating func drop(_ number: Int32) { numbers.remove(number) }

  /// Takes the rows of the page; gives the runners of whom everything was read with it, also those
  /// of whom nothing is stored: what comes of them from now on is to be counted.
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
        page.goOn(behindRunner: last.number)
      } else {
        page.goOn(behind: last)
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
