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
  /// Columns that one statement reads: 8 MB at most.
  static let columnsMax: Int32 = 4_096

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
      try await transaction.run(PrepareToCount(), PlanToCount())
      guard
        try await transaction.runOne(
          AnyValueOfDays(
            types: Array(question.types), firstDay: question.period.lowerBound,
            lastDay: question.period.upperBound)) == true
      else { return .noData }
      let packed = try await transaction.runOne(matching(question, hashes)) ?? []
      let parts = try await parts(question, regions, in: transaction)
      var people = try await work { MemberSet(packed: packed) }
      for mean in question.means {
        let tally = try await tally(mean.type, question.period, of: people, in: transaction)
        people = try await work { tally.withLock { $0.people(mean.comparison, mean.bound) } }
      }
      var counted: [CountedType] = []
      for type in question.types {
        let tally = try await tally(type, question.period, of: people, in: transaction)
        let one = try await work {
          tally.withLock { CountedType(type, $0, parts, names) }
        }
        if let one { counted.append(one) }
      }
      return counted.isEmpty ? .tooFew : .counted(counted)
    }
  }

  private func matching(_ question: GroupQuestion, _ hashes: [BlindValue]?) -> MatchingPeople {
    let now = surroundings.world.now()
    let born = question.birthDates(on: surroundings.zone.day(of: now.timestamp))
    return MatchingPeople(
      activatedBy: now - .seconds(86_400 * Int64(seasoningDays)), bornFrom: born.from,
      bornTo: born.to, sexes: question.sexes, places: question.places,
      nationalities: question.nationalities, occupations: question.occupations,
      diseases: question.diseases.map { indexes.value(of: $0) }, hasArea: hashes != nil,
      cells: hashes ?? [])
  }

  /// For each member number the part of the breakdown, 0 for none; empty without breakdown.
  private func parts(
    _ question: GroupQuestion, _ regions: RegionsOfPlaces, in transaction: Transaction<Problem>
  ) async throws(Problem) -> [UInt8] {
    guard let breakdown = question.breakdown else { return [] }
    let today = surroundings.zone.day(of: surroundings.world.now().timestamp)
    let starts = AgeBand.all.dropFirst().map {
      Ages.lastBirthDate(ofAge: $0.first, on: today).adding(days: 1)
    }
    let statement = PartsOfPeople(
      breakdown: breakdown.stored, bandStarts: starts.reversed(), regions: regions)
    let packed = try await transaction.runOne(statement) ?? []
    return try await work { MemberSet.parts(packed: packed) }
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

  /// Reads and counts the values of a type, some days at a time.
  private func tally(
    _ type: DataType, _ period: ClosedRange<Int32>, of people: MemberSet,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> GroupTallyBox {
    guard let coding = DayValueCode(type) else { throw .internalError }
    let tally = try await work {
      GroupTallyBox(GroupTally(coding, period: period, people: people))
    }
    let blocks = Int32(people.capacity / DayColumn.people) + 1
    let days = max(Self.columnsMax / blocks, 1)
    for first in stride(from: period.lowerBound, through: period.upperBound, by: Int(days)) {
      for block in stride(from: 0, to: blocks, by: Int(Self.columnsMax)) {
        let rows = try await transaction.runOne(
          ColumnsOfDays(
            type: type, firstDay: first, lastDay: min(first + days - 1, period.upperBound),
            firstBlock: block, endBlock: min(block + Self.columnsMax, blocks)))
        guard let rows else { continue }
        try await work { tally.withLock { $0.add(rows) } }
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

extension MemberSet {
  /// The people of rows of four bytes, the highest first.
  init(packed: [UInt8]) {
    self.init()
    let bytes = packed.span
    for start in stride(from: 0, to: bytes.count - 3, by: 4) {
      insert(Self.member(bytes, start))
    }
  }

  /// For each member number its part, of rows of six bytes: the number and the part.
  static func parts(packed: [UInt8]) -> [UInt8] {
    var parts: [UInt8] = []
    let bytes = packed.span
    for start in stride(from: 0, to: bytes.count - 5, by: 6) {
      let member = member(bytes, start)
      if member >= parts.count {
        parts.append(contentsOf: repeatElement(0, count: member + 1 - parts.count))
      }
      parts[member] = bytes[start + 5]
    }
    return parts
  }

  private static func member(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    Int(bytes[start]) << 24 | Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8
      | Int(bytes[start + 3])
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
