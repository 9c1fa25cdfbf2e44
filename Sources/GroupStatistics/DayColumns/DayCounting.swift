import Accounts
import Cryptography
import Domain
import EventLoop
import HealthRecords
import Operations
import Postgres
import ServiceKit
import Time

/// Computes the day values of people from their sealed samples: one value per person, type and
/// local day (`DayValueCounting`), clamped to the range that groups count and with the random draw
/// of its day.
///
/// Every step is a transaction that holds the row of its part of the blocks, so that two workers
/// never write one column, and reads the samples after that lock. Samples that are committed after
/// this read are marked, and counted again.
struct DayCounting: Sendable {
  /// The time that a day stays open after its end: longer than the longest transaction that began
  /// before midnight and stores samples of that day.
  static let closingDelay = Duration.seconds(600)
  /// The number of people whose samples are read at once; decrypting one day of theirs takes the
  /// loop a few milliseconds.
  static let pageMax: Int32 = 62
  /// The maximum number of marks in one step.
  static let marksMax: Int64 = 64
  /// The time limit of one step.
  static let stepMax = Duration.seconds(60)

  let dependencies: GroupStatisticsDependencies
  private let noise: PersonNoise
  private let reported: LoopBound<Reported>
  private let damages: Counter

  /// The people whose damaged samples were reported already: the log gets one line for each.
  private final class Reported {
    var accounts: Set<AccountID> = []
  }

  init(dependencies: GroupStatisticsDependencies, noise: PersonNoise) {
    self.dependencies = dependencies
    self.noise = noise
    reported = LoopBound(Reported(), on: dependencies.loop)
    damages = dependencies.metrics.counter(
      "trackme_data4help_damaged_days_total",
      "Days of a person that could not be counted because a chunk of samples does not open.")
  }

  private var database: Database { dependencies.database }

  private func day(at time: Instant) -> Int32 {
    Int32(dependencies.zone.day(of: time).daysSince1970)
  }

  /// Closes the days that are over, block by block; returns the number of blocks.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func closeDays(blocksMax: Int) async throws(ApplicationError) -> Int {
    var blocks = 0
    while blocks < blocksMax, try await closeBlock() { blocks += 1 }
    return blocks
  }

  /// The number of marked months, `RecountRounds.marksMax` at most.
  func marks() async throws(ApplicationError) -> Int {
    Int(try await database.row(MarksToCount()) ?? 0)
  }

  /// Counts the marked months again; returns their number.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func recountMarked(countMax: Int) async throws(ApplicationError) -> Int {
    var total = 0
    while total < countMax {
      let count = try await recountSome()
      if count == 0 { break }
      total += count
    }
    return total
  }

  /// Closes a day for the next block of one part; false if no block is left to close.
  private func closeBlock() async throws(ApplicationError) -> Bool {
    let lastDay = day(at: dependencies.environment.now() - Self.closingDelay) - 1
    return try await database.transaction(within: Self.stepMax) {
      (transaction) throws(ApplicationError) in
      guard let slice = try await transaction.runOne(SliceToClose(lastDay: lastDay)) else {
        return false
      }
      let first = Int32(slice.slice)
      guard let closed = slice.closedDay else {
        // Samples that were stored before the first worker ran are marked as late.
        try await transaction.commit(
          MoveSlice(slice: slice.slice, closedDay: lastDay, nextBlock: first))
        return true
      }
      let lastMember = (try await transaction.runOne(LastMember()) ?? nil) ?? 0
      let lastBlock = lastMember / Int32(DayColumn.people)
      if slice.nextBlock <= lastBlock {
        try await close(closed + 1, of: slice.nextBlock, in: transaction)
      }
      let next = slice.nextBlock + ClosingSlice.count
      let isOver = next > lastBlock
      try await transaction.commit(
        MoveSlice(
          slice: slice.slice, closedDay: isOver ? closed + 1 : closed,
          nextBlock: isOver ? first : next))
      return true
    }
  }

  /// Counts a day of a block's people, one page of people at a time.
  private func close(
    _ day: Int32, of block: Int32, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let members = ColumnPosition.members(ofBlock: block)
    var changes = DayColumnChanges()
    for first in stride(from: members.lowerBound, to: members.upperBound, by: Int(Self.pageMax)) {
      let chunks = try await transaction.run(
        ChunksOfDay(
          firstMember: first, lastMember: min(first + Self.pageMax, members.upperBound) - 1,
          day: day))
      for (key, code) in try await codes(of: chunks) {
        changes.set(key.type, key.day, of: key.member, to: code)
      }
    }
    try await changes.write(in: transaction)
  }

  /// Counts the months of some marks of one part; returns the number of marks.
  private func recountSome() async throws(ApplicationError) -> Int {
    try await database.transaction(within: Self.stepMax) { (transaction) throws(ApplicationError) in
      guard let slice = try await transaction.runOne(SliceToRecount()) else { return 0 }
      let marks = try await transaction.run(
        ClaimMarks(slice: slice.slice, countMax: Self.marksMax))
      guard !marks.isEmpty else { return 0 }
      let yesterday = day(at: dependencies.environment.now()) - 1
      let days = marks.map { MonthDays(number: $0.month).days }
      let chunks = try await transaction.run(
        ChunksOfMonths(
          accounts: marks.map(\.account), types: marks.map(\.type),
          firstDays: days.map(\.lowerBound), lastDays: days.map { min($0.upperBound, yesterday) }))
      var changes = DayColumnChanges()
      for (mark, days) in zip(marks, days) {
        guard let member = mark.member else { continue }
        for day in days { changes.set(mark.type, day, of: member, to: 0) }
      }
      for (key, code) in try await codes(of: chunks) {
        changes.set(key.type, key.day, of: key.member, to: code)
      }
      try await changes.write(in: transaction)
      return marks.count
    }
  }

  /// The codes of the days in these chunks. An account whose key was destroyed has none, nor has a
  /// day with a damaged chunk: neither may block the counting of all other people.
  private func codes(
    of chunks: [CountedChunk]
  ) async throws(ApplicationError) -> [DayValueKey: UInt16] {
    let keys = try await dependencies.accountKeys.keysInPassing(
      of: Array(Set(chunks.map(\.account))))
    var days: [DayValueKey: [CountedChunk]] = [:]
    for chunk in chunks {
      days[DayValueKey(chunk), default: []].append(chunk)
    }
    var codes: [DayValueKey: UInt16] = [:]
    for (key, chunks) in days {
      guard let account = chunks.first?.account, let sealingKey = keys[account],
        let coding = DayValueCode(key.type)
      else { continue }
      do throws(SampleStoreError) {
        var counting = DayValueCounting(key.type, sealingKey)
        for chunk in chunks { try counting.add(chunk) }
        if let value = try counting.value(of: chunks) {
          let draw = noise.ofDay(key.day, key.type, member: key.member)
          codes[key] = coding.code(of: value, with: draw)
        }
      } catch {
        report(account, because: error)
      }
    }
    return codes
  }

  private func report(_ account: AccountID, because error: SampleStoreError) {
    damages.increment()
    guard reported.value.accounts.insert(account).inserted else { return }
    dependencies.log.failure(
      "count samples for groups failed", error, .number("account_id", account.rawValue))
  }
}

/// One person's day of one type.
struct DayValueKey: Hashable, Sendable {
  let member: Int32
  let type: DataType
  let day: Int32

  init(_ chunk: CountedChunk) {
    member = chunk.member
    type = chunk.type
    day = chunk.day
  }
}

/// The value of one person's day: the mean of its samples or, for types that add up, their sum, in
/// which simultaneous measurements of several devices count once (decision 0018).
struct DayValueCounting {
  private let type: DataType
  private let sealingKey: SealingKey
  private var moments = StatisticalMoments()
  private var sources = SampleSources()
  private var buffer: [UInt8] = []

  init(_ type: DataType, _ sealingKey: SealingKey) {
    self.type = type
    self.sealingKey = sealingKey
  }

  /// Adds a chunk of the day, without decoding its samples.
  mutating func add(_ chunk: CountedChunk) throws(SampleStoreError) {
    let isCumulative = type.isCumulative
    var moments = moments
    var sources = sources
    try SealedBlocks.forEach(in: chunk.data, of: chunk.key, with: sealingKey, buffer: &buffer) {
      (block) throws(SampleBlockError) in
      if isCumulative { try sources.add(block) }
      if let own = try SampleBlock.header(of: block).moments { moments.merge(own) }
    }
    self.moments = moments
    self.sources = sources
  }

  /// The day's value, from all its chunks passed a second time; nil without numbers.
  func value(of chunks: [CountedChunk]) throws(SampleStoreError) -> Double? {
    guard moments.count > 0 else { return nil }
    guard type.isCumulative else { return moments.mean }
    guard sources.areSeveral else { return moments.sum }
    var hours = CumulativeHours()
    for chunk in chunks {
      for sample in try SealedBlocks.samples(in: chunk.data, of: chunk.key, with: sealingKey) {
        hours.add(sample)
      }
    }
    return hours.counted().compactMap(\.value.number).reduce(0, +)
  }
}
