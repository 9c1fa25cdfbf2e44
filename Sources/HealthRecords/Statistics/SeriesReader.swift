import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

/// The samples of one stretch of the calendar.
package struct SeriesStretch {
  /// The beginning of the stretch.
  package let start: Instant
  /// The statistics of its samples.
  package let moments: StatisticalMoments
}

/// Reads the history of one type of an account, the oldest first.
package struct SeriesReader {
  /// The maximum number of points in a page.
  static let pageMax = 10_000

  let account: AccountID
  let type: DataType
  let database: Database
  let sealingKey: SealingKey
  let zone: TimeZoneRules

  /// Reads one type of an account, whose samples `sealingKey` opens; `zone` defines its days.
  package init(
    account: AccountID, type: DataType, database: Database, sealingKey: SealingKey,
    zone: TimeZoneRules
  ) {
    self.account = account
    self.type = type
    self.database = database
    self.sealingKey = sealingKey
    self.zone = zone
  }

  /// A page of single samples after a cursor, and the cursor of the next page.
  package func rawPage(
    _ period: SamplePeriod, after cursor: SeriesCursor?
  ) async throws(ApplicationError) -> (samples: [StoredSample], next: SeriesCursor?) {
    let rest = SamplePeriod(from: max(period.from, cursor?.time ?? .firstWritable), to: period.to)
    var days = rest.days(in: zone)
    var page: [StoredSample] = []
    while true {
      let rows = try await database.rows(
        ChunksOfPage(
          account: account, type: type, period: StoredPeriod(rest, days: days),
          samplesMax: Int64(Self.pageMax - page.count)))
      guard let lastDay = rows.last?.day else { return (page, nil) }
      var found = try samples(in: rows).filter { sample in
        rest.contains(sample.time) && cursor.map { $0.precedes(sample) } ?? true
      }
      found.sort { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
      page += found
      if page.count > Self.pageMax {
        page.removeLast(page.count - Self.pageMax)
        return (page, page.last.map(self.cursor))
      }
      // Omitted samples made the page short: continue after the last day that was read.
      guard lastDay < days.upperBound else { return (page, nil) }
      days = lastDay + 1...days.upperBound
    }
  }

  private func cursor(_ sample: StoredSample) -> SeriesCursor {
    SeriesCursor(type: type, granularity: .raw, time: sample.time, sequence: sample.sequence)
  }

  private func samples(in rows: [ChunksOfPage.Row]) throws(ApplicationError) -> [StoredSample] {
    var samples: [StoredSample] = []
    for row in rows {
      let key = ChunkKey(account: account, type: type, day: row.day, part: row.part)
      try mapStorageError { () throws(SampleStoreError) in
        samples += try SealedBlocks.samples(in: row.data, of: key, with: sealingKey)
      }
    }
    return samples
  }

  /// The points of a coarser series in a period.
  ///
  /// Blocks that lie in one stretch of the calendar contribute their moments without being decoded.
  package func points(
    _ unit: CalendarUnit, _ period: SamplePeriod
  ) async throws(ApplicationError) -> [SeriesStretch] {
    let rows = try await database.rows(
      ChunksOfPeriod(
        account: account, types: [type], period: StoredPeriod(period, zone: zone)))
    var buckets = CalendarBuckets(unit, rules: zone)
    var moments: [Instant: StatisticalMoments] = [:]
    var buffer: [UInt8] = []
    var sources = SampleSources()
    for row in rows {
      let key = ChunkKey(account: account, type: type, day: row.day, part: row.part)
      try mapStorageError { () throws(SampleStoreError) in
        try SealedBlocks.forEach(in: row.data, of: key, with: sealingKey, buffer: &buffer) {
          (block) throws(SampleBlockError) in
          if type.isCumulative { try sources.add(block) }
          let header = try SampleBlock.header(of: block)
          let stretch = buckets.bounds(around: header.firstTime)
          if let all = header.moments, stretch.contains(header.lastTime),
            period.holds(header.firstTime, through: header.lastTime)
          {
            moments[stretch.lowerBound, default: StatisticalMoments()].merge(all)
            return
          }
          try Self.add(block, period, &buckets, to: &moments)
        }
      }
    }
    if sources.areSeveral { moments = try countedOnce(rows, period, &buckets) }
    return moments.map { SeriesStretch(start: $0.key, moments: $0.value) }
      .sorted { $0.start < $1.start }
  }

  /// The moments of stretches in which simultaneous measurements of several devices count once.
  private func countedOnce(
    _ rows: [ChunksOfPeriod.Row], _ period: SamplePeriod, _ buckets: inout CalendarBuckets
  ) throws(ApplicationError) -> [Instant: StatisticalMoments] {
    var hours = CumulativeHours()
    for row in rows {
      let key = ChunkKey(account: account, type: type, day: row.day, part: row.part)
      try mapStorageError { () throws(SampleStoreError) in
        for sample in try SealedBlocks.samples(in: row.data, of: key, with: sealingKey)
        where period.contains(sample.time) {
          hours.add(sample)
        }
      }
    }
    var moments: [Instant: StatisticalMoments] = [:]
    for sample in hours.counted() {
      guard let number = sample.value.number else { continue }
      moments[buckets.bounds(around: sample.time).lowerBound, default: StatisticalMoments()].add(
        number)
    }
    return moments
  }

  private static func add(
    _ block: Span<UInt8>, _ period: SamplePeriod, _ buckets: inout CalendarBuckets,
    to moments: inout [Instant: StatisticalMoments]
  ) throws(SampleBlockError) {
    for sample in try SampleBlock.decode(block) where period.contains(sample.time) {
      guard let number = sample.value.number else { continue }
      moments[buckets.bounds(around: sample.time).lowerBound, default: StatisticalMoments()].add(
        number)
    }
  }
}
