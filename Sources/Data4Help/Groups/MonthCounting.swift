import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services

/// Computes the month values of people from their sealed samples: one value a person, type and
/// local day, the mean, clamped to the plausible range.
///
/// Every step is a transaction that holds the row of its part of the accounts, so that two workers
/// never write one month, and reads the samples after that lock: what commits later than it reads
/// is marked, and counted again.
struct MonthCounting: Sendable {
  /// How long after its end a day stays open: longer than a transaction that stores samples of it
  /// and began before midnight can last.
  static let closingDelay = Duration.seconds(600)
  /// Accounts of a page; decrypting a day of them takes the loop a few milliseconds.
  static let pageMax: Int64 = 64
  /// How long one step may take.
  static let stepMax = Duration.seconds(60)

  let surroundings: Surroundings

  private var database: Database { surroundings.database }

  private func day(at time: WallTime) -> Int32 {
    Int32(surroundings.zone.day(of: time.timestamp).daysSince1970)
  }

  /// Closes the days that are over, page by page; gives how many pages it did.
  ///
  /// - Throws: 503 if a database is away.
  func closeDays(pagesMax: Int) async throws(Problem) -> Int {
    var pages = 0
    while pages < pagesMax, try await closePage() { pages += 1 }
    return pages
  }

  /// Counts the marked months again; gives how many it did.
  ///
  /// - Throws: 503 if a database is away.
  func recountMarked(countMax: Int) async throws(Problem) -> Int {
    var total = 0
    while total < countMax {
      let count = try await recountSome()
      if count == 0 { break }
      total += count
    }
    return total
  }

  /// Closes a day for the next accounts of one part; false if nothing is left to close.
  private func closePage() async throws(Problem) -> Bool {
    let lastDay = day(at: surroundings.world.now() - Self.closingDelay) - 1
    return try await database.transaction(within: Self.stepMax) {
      (transaction) throws(Problem) in
      guard let slice = try await transaction.runOne(SliceToClose(lastDay: lastDay)) else {
        return false
      }
      let start = AccountID(rawValue: slice.first.rawValue - 1)
      guard let closed = slice.closedDay else {
        // What was stored before the first worker came is marked as late.
        try await transaction.commit(
          MoveSlice(slice: slice.slice, closedDay: lastDay, after: start))
        return true
      }
      let page = PageOfAccounts(after: slice.after, last: slice.last, countMax: Self.pageMax)
      let found = try await transaction.runOne(page)
      let end = found?.last ?? slice.last
      let chunks = try await transaction.run(
        ChunksOfDay(after: slice.after, last: end, day: closed + 1))
      var counted: [MonthKey: [Int32: Moments]] = [:]
      try await count(chunks, into: &counted)
      try await store(counted, replacing: false, in: transaction)
      let isOver = (found?.count ?? 0) < Self.pageMax
      try await transaction.commit(
        MoveSlice(
          slice: slice.slice, closedDay: isOver ? closed + 1 : closed,
          after: isOver ? start : end))
      return true
    }
  }

  /// Takes some marks of one part and counts their months; gives how many.
  private func recountSome() async throws(Problem) -> Int {
    try await database.transaction(within: Self.stepMax) { (transaction) throws(Problem) in
      guard let slice = try await transaction.runOne(SliceToRecount()) else { return 0 }
      let marks = try await transaction.run(
        TakeMarks(first: slice.first, last: slice.last, countMax: Self.pageMax))
      guard !marks.isEmpty else { return 0 }
      let yesterday = day(at: surroundings.world.now()) - 1
      let days = marks.map { MonthDays(number: $0.month).days }
      let chunks = try await transaction.run(
        ChunksOfMonths(
          accounts: marks.map(\.account), types: marks.map(\.type),
          firstDays: days.map(\.lowerBound), lastDays: days.map { min($0.upperBound, yesterday) }))
      var counted: [MonthKey: [Int32: Moments]] = [:]
      for mark in marks { counted[mark] = [:] }
      try await count(chunks, into: &counted)
      try await store(counted, replacing: true, in: transaction)
      return marks.count
    }
  }

  /// Adds what chunks hold to the day of their month. An account whose key is gone has nothing.
  private func count(
    _ chunks: [CountedChunk], into counted: inout [MonthKey: [Int32: Moments]]
  ) async throws(Problem) {
    let keys = try await surroundings.accountKeys.keysInPassing(
      of: Array(Set(chunks.map(\.account))))
    var buffer: [UInt8] = []
    for chunk in chunks {
      guard let sealingKey = keys[chunk.account] else { continue }
      let key = ChunkKey(
        account: chunk.account, type: chunk.type, day: chunk.day, part: chunk.part)
      var moments = Moments()
      try intact { () throws(SampleStoreError) in
        try SealedBlocks.forEach(in: chunk.data, of: key, with: sealingKey, buffer: &buffer) {
          (block) throws(SampleBlockError) in
          if let block = try SampleBlock.header(of: block).moments { moments.merge(block) }
        }
      }
      let month = MonthDays(day: chunk.day)
      let place = MonthKey(account: chunk.account, type: chunk.type, month: month.number)
      counted[place, default: [:]][chunk.day - month.days.lowerBound, default: Moments()]
        .merge(moments)
    }
  }

  /// Stores counted days: in place of whole months, or beside the days that are stored.
  private func store(
    _ counted: [MonthKey: [Int32: Moments]], replacing: Bool,
    in transaction: Transaction<Problem>
  ) async throws(Problem) {
    guard !counted.isEmpty else { return }
    let keys = Array(counted.keys)
    let places = Array(Set(keys.map { MonthPlace(type: $0.type, month: $0.month) }))
    try await transaction.run(
      MakePartitions(types: places.map(\.type), months: places.map(\.month)))
    let (people, rows) = try await transaction.run(
      MembersOfAccounts(accounts: Array(Set(keys.map(\.account)))),
      StoredMonths(
        accounts: keys.map(\.account), types: keys.map(\.type), months: keys.map(\.month)))
    var members: [AccountID: Int32] = [:]
    for row in people { members[row.account] = row.member }
    var stored: [MonthKey: MonthCodes] = [:]
    for row in rows where !replacing {
      stored[MonthKey(account: row.account, type: row.type, month: row.month)] =
        MonthCodes(bytes: row.values)
    }
    var store = StoreMonths()
    var remove = RemoveMonths()
    for (key, days) in counted {
      guard let coding = DayValueCode(key.type) else { continue }
      var codes = stored[key] ?? MonthCodes()
      for (day, moments) in days where moments.count > 0 {
        codes[Int(day)] = coding.code(of: moments.mean)
      }
      if let member = members[key.account], !codes.isEmpty {
        store.append(key, member, codes)
      } else {
        remove.append(key)
      }
    }
    try await transaction.run(store, remove)
  }
}

/// A partition of the month values.
struct MonthPlace: Hashable, Sendable {
  let type: DataType
  let month: Int32
}

extension StoreMonths {
  mutating func append(_ key: MonthKey, _ member: Int32, _ codes: MonthCodes) {
    accounts.append(key.account)
    types.append(key.type)
    months.append(key.month)
    members.append(member)
    values.append(codes.bytes)
  }
}

extension RemoveMonths {
  mutating func append(_ key: MonthKey) {
    accounts.append(key.account)
    types.append(key.type)
    months.append(key.month)
  }
}
