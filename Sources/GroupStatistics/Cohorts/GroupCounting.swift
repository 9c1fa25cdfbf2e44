import Accounts
import Cryptography
import Domain
import EventLoop
import Postgres
import ServiceKit
import Sharing
import Synchronization
import Time

/// The outcome of counting a group.
enum GroupOutcome: Sendable {
  /// No person has such data in the period (GRP-2).
  case noData
  /// 1000 people or fewer; the exact number is never disclosed (R28).
  case tooFew
  /// The statistics that may be released, one element per type.
  case counted([CountedType])
}

/// One data type of a group, over the threshold.
struct CountedType: Sendable {
  let type: DataType
  let tally: GroupTally
  let members: MemberSet
  /// The parts of the breakdown that may be released.
  let parts: [(name: String, histogram: GroupHistogram)]
  /// The number of contributing people.
  var people: Int { tally.histogram.people }
}

/// Counts groups. The people are divided into as many shares as there are connections for counting;
/// each share is read in one snapshot of the primary, slice by slice, and counted off the loop
/// while the database reads for another share.
///
/// Every request reads the same data in the same order, whether 0 or 1000 people match: no step is
/// skipped when no matching person is left.
struct GroupCounting: Sendable {
  /// The time limit of a request.
  static let timeMax = Duration.seconds(60)
  /// The maximum number of columns that one statement reads, unless a single block has more: 8 MB.
  static let columnsMax: Int32 = 4_096
  /// The number of connections that read for a request at the same time.
  static let shareCount: Int32 = 2

  let environment: Environment
  let database: Database
  let zone: TimeZoneRules
  let threads: BlockingPool
  let seasoningDays: Int
  /// The noise of each person.
  let personNoise: PersonNoise
  private let cells: BlindIndex
  private let indexes: AccountIndexes

  init(
    environment: Environment, database: Database, root: RootSecret, zone: TimeZoneRules,
    threads: BlockingPool,
    seasoningDays: Int,
    personNoise: PersonNoise
  ) {
    self.environment = environment
    self.database = database
    self.zone = zone
    self.threads = threads
    self.seasoningDays = seasoningDays
    self.personNoise = personNoise
    cells = BlindIndex(.positionCell, root: root)
    indexes = AccountIndexes(root: root)
  }

  /// Counts the people of a query.
  ///
  /// - Throws: `unavailable` if the database is unavailable, or too many counts run already.
  func count(_ query: CohortQuery) async throws(ApplicationError) -> GroupOutcome {
    guard let blocks = try await blocks(with: query) else { return .noData }
    let hashes = try await areaHashes(query.areas)
    let regions =
      query.breakdown == .region
      ? try await PlaceSearch(database: database).regions() : RegionsOfPlaces()
    let names = query.breakdown?.parts(regions: regions.names) ?? []
    guard
      let nobody = GroupCount(
        query.types, where: query.means, period: query.period, parts: names.count,
        noise: personNoise)
    else { throw .internalError(because: "A group is counted by a type that has no values.") }
    let people = matching(query, hashes)
    let shares = Self.shares(of: blocks).map { (blocks: $0, box: GroupCountBox(nobody)) }
    try await allOf(shares) { (share, box) throws(ApplicationError) in
      try await count(query, people, regions, share, into: box)
    }
    let counted = try await work {
      var whole = nobody
      for share in shares { share.box.withLock { whole.append($0) } }
      return whole.tallies.compactMap { CountedType($0.type, $0.tally, names) }
    }
    return counted.isEmpty ? .tooFew : .counted(counted)
  }

  /// Counts all shares concurrently, each into its box. If one fails, the others stop at their next
  /// slice.
  ///
  /// - Throws: the first failure, which caused the others.
  private func allOf(
    _ shares: [(blocks: Range<Int32>, box: GroupCountBox)],
    _ count:
      @escaping @Sendable (Range<Int32>, GroupCountBox) async throws(ApplicationError) -> Void
  ) async throws(ApplicationError) {
    let failure = await withTaskGroup(of: ApplicationError?.self) { group in
      for share in shares {
        group.addTask {
          do throws(ApplicationError) {
            try await count(share.blocks, share.box)
            return nil
          } catch {
            return error
          }
        }
      }
      var first: ApplicationError?
      for await failure in group {
        guard let failure else { continue }
        first = first ?? failure
        group.cancelAll()
      }
      return first
    }
    if let failure { throw failure }
  }

  /// Divides the blocks into shares of about the same size.
  static func shares(of blocks: Range<Int32>) -> [Range<Int32>] {
    let size = (Int32(blocks.count) + shareCount - 1) / shareCount
    return stride(from: blocks.lowerBound, to: blocks.upperBound, by: Int(max(size, 1))).map {
      $0..<min($0 + size, blocks.upperBound)
    }
  }

  /// The blocks of all people; nil if no person has a value of the types in the period.
  private func blocks(with query: CohortQuery) async throws(ApplicationError) -> Range<Int32>? {
    try await database.transaction(within: Self.timeMax) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(PlanToCount())
      let any = AnyValueOfDays(
        types: Array(query.types), firstDay: query.period.lowerBound,
        lastDay: query.period.upperBound)
      guard try await transaction.runOne(any) == true else { return nil }
      let lastMember = (try await transaction.runOne(LastMember()) ?? nil) ?? 0
      let lastBlock = lastMember / Int32(DayColumn.people)
      return 0..<lastBlock + 1
    }
  }

  /// Counts a share of the people. Everything about a person is read in the same snapshot.
  private func count(
    _ query: CohortQuery, _ people: MatchingPeople, _ regions: RegionsOfPlaces,
    _ share: Range<Int32>, into box: GroupCountBox
  ) async throws(ApplicationError) {
    let types = query.types.union(DataTypeSet(query.means.map(\.type)))
    let columns = Int32(types.count * query.period.count)
    let size = max(Self.columnsMax / columns, 1)
    try await database.transaction(
      isolation: .repeatableRead, within: Self.timeMax
    ) { (transaction) throws(ApplicationError) in
      try await transaction.run(PrepareToCount(), PlanToCount())
      let packed = try await transaction.runOne(people.within(share)) ?? []
      let members = try await work { MemberSet(packed: packed) }
      let parts = try await parts(query, regions, share, in: transaction)
      for first in stride(from: share.lowerBound, to: share.upperBound, by: Int(size)) {
        guard !Task.isCancelled else { throw .unavailable() }
        let blocks = first..<min(first + size, share.upperBound)
        let rows =
          try await transaction.runOne(ColumnsOfBlocks(types, query.period, blocks)) ?? []
        try await work {
          let slice = GroupSlice(blocks, of: members)
          box.withLock { $0.add(PackedColumns(rows), slice, parts: parts) }
        }
      }
    }
  }

  private func matching(_ query: CohortQuery, _ hashes: [BlindValue]?) -> MatchingPeople {
    let now = environment.now()
    let born = query.birthDates(on: zone.day(of: now))
    return MatchingPeople(
      activatedBy: now - .seconds(86_400 * Int64(seasoningDays)), bornFrom: born.from,
      bornTo: born.to, sexes: query.sexes, places: query.places,
      nationalities: query.nationalities, occupations: query.occupations,
      diseases: query.diseases.map { indexes.value(of: $0) }, hasArea: hashes != nil,
      cells: hashes ?? [])
  }

  /// The part of the breakdown for each member number of a share, 0 for none; empty without
  /// breakdown.
  private func parts(
    _ query: CohortQuery, _ regions: RegionsOfPlaces, _ share: Range<Int32>,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [UInt8] {
    guard let breakdown = query.breakdown else { return [] }
    let today = zone.day(of: environment.now())
    let starts = AgeBand.all.dropFirst().map {
      Ages.lastBirthDate(ofAge: $0.first, on: today).adding(days: 1)
    }
    let statement = PartsOfPeople(
      members: MemberRange(share), breakdown: breakdown.stored, bandStarts: starts.reversed(),
      regions: regions)
    let packed = try await transaction.runOne(statement) ?? []
    return try await work { MemberSet.parts(packed: packed) }
  }

  /// The hashes of the cells that lie in all areas; nil without a condition on areas.
  private func areaHashes(
    _ areas: [(centre: GeoPoint, radius: Double)]
  ) async throws(ApplicationError) -> [BlindValue]? {
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

  /// Runs work on another thread, so that it does not block the loop.
  ///
  /// - Throws: `unavailable` when the queue of the threads is full.
  func work<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ApplicationError) -> Value {
    do throws(BlockingPoolError) {
      switch try await threads.run({ () throws(Never) in body() }) {
      case .success(let value): return value
      }
    } catch {
      throw .unavailable(retryAfter: 5)
    }
  }
}

/// A count that several threads update one after the other.
final class GroupCountBox: Sendable {
  private let count: Mutex<GroupCount>

  init(_ count: GroupCount) { self.count = Mutex(count) }

  func withLock(_ body: (inout GroupCount) -> Void) { count.withLock { body(&$0) } }
}

extension MemberSet {
  /// The people in rows of four bytes, most significant byte first.
  init(packed: [UInt8]) {
    self.init()
    let bytes = packed.span
    for start in stride(from: 0, to: bytes.count - 3, by: 4) {
      insert(Self.member(bytes, start))
    }
  }

  /// The part of each member number, from rows of six bytes: the number and the part.
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
  /// The releasable statistics of a tally; nil unless more people than the threshold contribute.
  init?(_ type: DataType, _ tally: GroupTally, _ names: [String]) {
    guard GroupThreshold.allows(tally.histogram.people) else { return nil }
    self.type = type
    self.tally = tally
    members = tally.contributors
    let isReleased = GroupThreshold.releasedParts(
      tally.parts.map(\.people), of: tally.histogram.people)
    parts = names.indices.filter { isReleased[$0] }.map { (names[$0], tally.parts[$0]) }
  }
}
