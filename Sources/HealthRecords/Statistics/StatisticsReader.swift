import Cryptography
import Domain
import JSON
import Postgres
import Time

/// Collects the numbers of several types from chunks, block by block, without an allocation per
/// sample.
struct StatisticsReader {
  private let account: AccountID
  private let period: SamplePeriod
  private let sealingKey: SealingKey
  private var buffer: [UInt8] = []
  private var numbers: [[Double]]
  private var newest: [Instant]
  private var sources: [SampleSources]

  init(account: AccountID, _ period: SamplePeriod, _ sealingKey: SealingKey) {
    self.account = account
    self.period = period
    self.sealingKey = sealingKey
    let count = Int(DataType.allCases.count) + 1
    numbers = Array(repeating: [], count: count)
    newest = Array(repeating: .firstWritable, count: count)
    sources = Array(repeating: SampleSources(), count: count)
  }

  /// Adds a chunk.
  mutating func add(_ row: ChunksOfPeriod.Row) throws(SampleStoreError) {
    let place = Int(row.type.rawValue)
    let key = ChunkKey(account: account, type: row.type, day: row.day, part: row.part)
    let period = period
    // Moved out and back, so that appending does not copy.
    var values: [Double] = []
    var latest = newest[place]
    var sources = sources[place]
    let isCumulative = row.type.isCumulative
    swap(&values, &numbers[place])
    defer {
      swap(&values, &numbers[place])
      newest[place] = latest
      self.sources[place] = sources
    }
    try SealedBlocks.forEach(in: row.data, of: key, with: sealingKey, buffer: &buffer) {
      (block) throws(SampleBlockError) in
      let header = try SampleBlock.header(of: block)
      if isCumulative { try sources.add(block) }
      if period.holds(header.firstTime, through: header.lastTime) {
        try SampleBlock.appendNumbers(of: block, to: &values)
        latest = max(latest, header.lastTime)
        return
      }
      for sample in try SampleBlock.decode(block) where period.contains(sample.time) {
        guard let number = sample.value.number else { continue }
        values.append(number)
        latest = max(latest, sample.time)
      }
    }
  }

  /// Counts simultaneous measurements of several devices once: reads again the chunks of such types
  /// that `add` has counted per device.
  mutating func countOnce(_ rows: [ChunksOfPeriod.Row]) throws(SampleStoreError) {
    for type in DataType.allCases where sources[Int(type.rawValue)].areSeveral {
      var hours = CumulativeHours()
      for row in rows where row.type == type {
        let key = ChunkKey(account: account, type: type, day: row.day, part: row.part)
        for sample in try SealedBlocks.samples(in: row.data, of: key, with: sealingKey)
        where period.contains(sample.time) {
          hours.add(sample)
        }
      }
      numbers[Int(type.rawValue)] = hours.counted().compactMap(\.value.number)
    }
  }

  /// Returns and removes the numbers of a type and the time of the newest.
  mutating func take(_ type: DataType) -> (summary: StatisticsSummary, newest: Instant)? {
    let place = Int(type.rawValue)
    var values: [Double] = []
    swap(&values, &numbers[place])
    guard let summary = StatisticsSummary(of: values) else { return nil }
    return (summary, newest[place])
  }
}

extension StatisticsSummary {
  /// Writes the element of `dataTypes` for a type.
  func write(_ type: DataType, date: CalendarDate, to writer: inout JSONWriter) {
    writer.object {
      $0.field("parameter", type.name)
      $0.field("unit", type.unit)
      $0.field("date", date.daysSince1970)
      $0.field("count", moments.count)
      $0.field("mean", moments.mean)
      $0.field("median", median)
      $0.field("p5", p5)
      $0.field("p25", p25)
      $0.field("p75", p75)
      $0.field("p95", p95)
      $0.field("variance", moments.variance)
      $0.field("stddev", moments.standardDeviation)
      $0.field("stderr", moments.standardError)
      $0.field("min", moments.min)
      $0.field("max", moments.max)
      if tooFew { $0.field("tooFew", true) }
    }
  }
}
