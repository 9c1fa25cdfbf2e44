import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services
import Synchronization

/// What counting a group came to.
enum GroupOutcome: Sendable {
  /// Nobody at all has such data in the period (GRP-2).
  case noData
  /// 1000 people or fewer: how many is said to nobody (R28).
  case tooFew
  /// What may be released, a type each.
  case counted([CountedType])
}

/// One data type of a group, over the threshold.
struct CountedType: Sendable {
  let type: DataType
  let members: MemberSet
  let people: Int
  let statistics: ReleasedStatistics
  let days: [ReleasedStatistics.Day]
  /// The parts of the breakdown that may be released.
  let parts: [(name: String, statistics: ReleasedStatistics)]
}

/// Counts groups: one snapshot of the primary for a request, rows counted off the loop as they
/// arrive.
///
/// Every request reads the same things in the same order, whether 0 or 1000 people match: nothing
/// is left out when nobody is left.
struct GroupCounting: Sendable {
  /// How long a request may take.
  static let timeMax = Duration.seconds(60)
  /// Blocks that one statement reads: 8 MiB, of which at most five come back.
  static let stretchBlocks: Int64 = 1_024

  let surroundings: Surroundings
  let threads: BlockingPool
  let seasoningDays: Int
  private let cells: BlindIndex
  private let indexes: AccountIndexes

  init(_ surroundings: Surroundings, threads: BlockingPool, seasoningDays: Int) {
    self.surroundings = surroundings
    self.threads = threads
    self.seasoningDays = seasoningDays
    cells = BlindIndex(.positionCell, root: surroundings.root)
    indexes = AccountIndexes(root: surroundings.root)
  }

  /// Counts.
  ///
  /// - Throws: 503 if the database is away, or too much is counted already.
  func count(_ question: GroupQuestion) async throws(Problem) -> GroupOutcome {
    let hashes = try await areaHashes(question.areas)
    let regions =
      question.breakdown == .region
      ? try await PlaceSearch(database: surroundings.database).regions() : RegionsOfPlaces()
    let names = question.breakdown?.parts(regions: regions.names) ?? []
    return try await surroundings.database.transaction(
      isolation: .repeatableRead, within: Self.timeMax
    ) { (transaction) throws(Problem) in
      try await transaction.run(PrepareToCount(), PlanForPartition())
      guard try await hasData(question, in: transaction) else { return .noData }
      let packed = try await transaction.runOne(matching(question, hashes, regions)) ?? []
      let found = try await work { Matches(packed) }
      var people = found.people
      for mean in question.means {
        let tally = try await tally(mean.type, question.period, of: people, in: transaction)
        people = try await work { tally.withLock { $0.people(mean.comparison, mean.bound) } }
      }
      var counted: [CountedType] = []
      for type in question.types {
        let tally = try await tally(type, question.period, of: people, in: transaction)
        let one = try await work {
          tally.withLock { CountedType(type, $0, found.parts, names) }
        }
        if let one { counted.append(one) }
      }
      return counted.isEmpty ? .tooFew : .counted(counted)
    }
  }

  private func hasData(
    _ question: GroupQuestion, in transaction: Transaction<Problem>
  ) async throws(Problem) -> Bool {
    for month in MonthDays.touched(by: question.period) {
      guard let days = month.days(in: question.period) else { continue }
      let statement = AnyValueOfMonth(
        types: Array(question.types), month: month.number,
        firstByte: 2 * (days.lowerBound - month.days.lowerBound) + 1,
        byteCount: 2 * Int32(days.count))
      if try await transaction.runOne(statement) == true { return true }
    }
    return false
  }

  private func matching(
    _ question: GroupQuestion, _ hashes: [BlindValue]?, _ regions: RegionsOfPlaces
  ) -> MatchingPeople {
    let now = surroundings.world.now()
    let today = surroundings.zone.day(of: now.timestamp)
    let born = question.birthDates(on: today)
    let starts = AgeBand.all.dropFirst().map {
      Ages.lastBirthDate(ofAge: $0.first, on: today).adding(days: 1)
    }
    return MatchingPeople(
      breakdown: question.breakdown?.stored ?? 0, bandStarts: starts.reversed(),
      activatedBy: now - .seconds(86_400 * Int64(seasoningDays)), bornFrom: born.from,
      bornTo: born.to, sexes: question.sexes, places: question.places, regions: regions,
      nationalities: question.nationalities, occupations: question.occupations,
      diseases: question.diseases.map { indexes.value(of: $0) }, hasArea: hashes != nil,
      cells: hashes ?? [])
  }

  /// The hashes of the cells that lie in all areas; nil without area.
  private func areaHashes(
    _ areas: [(centre: GeoPoint, radius: Double)]
  ) async throws(Problem) -> [BlindValue]? {
    guard !areas.isEmpty else { return nil }
    let cells = cells
    return try await work {
      var common: Set<PositionCell>?
      for area in areas {
        let found = Set(PositionCell.cells(around: area.centre, radius: area.radius))
        common = common.map { $0.intersection(found) } ?? found
      }
      return (common ?? []).map { cells.value(of: $0.text) }
    }
  }

  /// Reads and counts the values of a type. While one stretch is counted the next is read.
  private func tally(
    _ type: DataType, _ period: ClosedRange<Int32>, of people: MemberSet,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> GroupTallyBox {
    guard let coding = DayValueCode(type) else { throw .internalError }
    let tally = GroupTallyBox(GroupTally(coding, period: period, capacity: people.capacity))
    for month in MonthDays.touched(by: period) {
      guard let days = month.days(in: period),
        let blocks = try await transaction.runOne(
          BlocksOfMonth(type: type, month: month.number)) ?? nil
      else { continue }
      var start: Int64 = 0
      while start < blocks {
        let stretch = ValuesOfBlocks(
          type: type, month: month.number,
          firstByte: 2 * (days.lowerBound - month.days.lowerBound) + 1,
          byteCount: 2 * Int32(days.count), firstBlock: start,
          endBlock: start + Self.stretchBlocks, capacity: Int32(people.capacity),
          people: people.bytes)
        let rows = try await transaction.runOne(stretch) ?? []
        try await work { tally.withLock { $0.add(rows, days: days) } }
        start += Self.stretchBlocks
      }
    }
    return tally
  }

  /// Runs work on another thread, so that the loop goes on.
  ///
  /// - Throws: 503 when too much waits already.
  func work<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(Problem) -> Value {
    do throws(BlockingPoolError) {
      switch try await threads.run({ () throws(Never) in body() }) {
      case .success(let value): return value
      }
    } catch {
      throw .unavailable(retryAfter: 5)
    }
  }
}

/// A tally that threads take in turns.
final class GroupTallyBox: Sendable {
  private let tally: Mutex<GroupTally>

  init(_ tally: GroupTally) { self.tally = Mutex(tally) }

  func withLock<Value: Sendable>(_ body: (inout GroupTally) -> sending Value) -> Value {
    tally.withLock { body(&$0) }
  }
}

/// The people that a statement found.
struct Matches: Sendable {
  private(set) var people = MemberSet()
  /// For each member number the part of the breakdown, 0 for none.
  private(set) var parts: [UInt8] = []

  /// Reads rows of six bytes.
  init(_ packed: [UInt8]) {
    let bytes = packed.span
    for start in stride(from: 0, to: bytes.count - 5, by: 6) {
      let member =
        Int(bytes[start]) << 24 | Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8
        | Int(bytes[start + 3])
      people.insert(member)
      if member >= parts.count {
        parts.append(contentsOf: repeatElement(0, count: member + 1 - parts.count))
      }
      parts[member] = bytes[start + 5]
    }
  }
}

extension CountedType {
  /// What may be released of a tally; nil unless more people than the threshold contribute.
  init?(_ type: DataType, _ tally: GroupTally, _ parts: [UInt8], _ names: [String]) {
    let histogram = tally.histogram
    guard let statistics = histogram.released else { return nil }
    self.type = type
    self.statistics = statistics
    people = histogram.people
    members = tally.contributors.trimmed
    days = tally.releasedDays
    let histograms = tally.histograms(parts: parts, count: names.count)
    let isReleased = GroupThreshold.releasedParts(
      histograms.map(\.people), of: histogram.people)
    self.parts = names.indices.compactMap { index in
      guard isReleased[index], let part = histograms[index].released else { return nil }
      return (names[index], part)
    }
  }
}
