import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Reads the sequences of third parties after given numbers, for any number of readers at once in
/// the same few statements.
///
/// Each read is one transaction: lock the requests against their ends, read, record the accesses,
/// commit; data is sent only after that. Samples that a request no longer covers are skipped, and
/// their numbers stay unused.
struct ThirdPartySequence: EventSource {
  /// The most entries of the log for one position at a time.
  static let entriesMax: Int64 = 200
  /// The most numbers of samples for one position at a time.
  static let numbersMax: Int64 = 2_000
  /// The longest time for one read.
  static let timeMax = Duration.seconds(20)

  let surroundings: Surroundings
  let samples: SampleStore
  let accesses: AccessRecorder
  let metrics: EventMetrics
  /// Whether any third party receives emergencies, approved as a hospital or not.
  let areAllAdmitted: Bool
  /// The format of the entries.
  var form = EventForm.thirdParty

  func heads(of accounts: [AccountID]) async throws(ApplicationError) -> [EventHead] {
    try await surroundings.database.rows(SequenceHeads(thirdParties: accounts))
  }

  func pages(
    behind positions: [EventPosition]
  ) async throws(ApplicationError) -> [Result<EventPage, ApplicationError>] {
    let readAt = surroundings.loop.now
    let pages = try await readEach(
      behind: positions[...], .stream, entriesMax: form.entriesMax, upTo: .max)
    let now = surroundings.world.now()
    return pages.map { page in page.map { streamed($0, readAt: readAt, at: now) } }
  }

  private func streamed(
    _ page: SequencePage, readAt: MonotonicInstant, at now: WallTime
  ) -> EventPage {
    var bytes: [UInt8] = []
    for item in page.items {
      metrics.lag.observe(item.age(at: now))
      ServerSentEvent.append(item.name, id: item.number, data: item.document, to: &bytes)
    }
    return EventPage(
      bytes: bytes, next: page.next, requestIDs: page.deliveries.map(\.requestID), readAt: readAt)
  }

  /// Stores nothing: every reader sends its position.
  func note(taken positions: [EventPosition]) async throws(ApplicationError) {}

  /// The entries after a position, up to a number that limits the beginning of entries, after their
  /// accesses were recorded.
  ///
  /// An entry that can't be read does not stop Track4Run, which is notified that it exists.
  ///
  /// - Throws: `unavailable` if a database is unavailable, `internalError` if the first entry for
  ///   a third party can't be read.
  func read(
    behind position: EventPosition, _ format: AccessFormat,
    entriesMax: Int64 = Self.entriesMax, upTo number: Int64 = .max
  ) async throws(ApplicationError) -> SequencePage {
    try await readEach(behind: [position], format, entriesMax: entriesMax, upTo: number)[0].get()
  }

  /// The same for several positions, all at once. If an entry of one position can't be read, the
  /// positions are halved until only that one fails.
  private func readEach(
    behind positions: ArraySlice<EventPosition>, _ format: AccessFormat, entriesMax: Int64,
    upTo number: Int64
  ) async throws(ApplicationError) -> [Result<SequencePage, ApplicationError>] {
    let fault: ApplicationError
    do throws(ApplicationError) {
      return try await readWhole(
        behind: Array(positions), format, entriesMax: entriesMax, upTo: number
      ).map { .success($0) }
    } catch {
      guard error.reason == .internalError else { throw error }
      fault = error
    }
    guard let position = positions.first else { return [] }
    guard positions.count > 1 else {
      return [
        try await readBeforeFault(
          fault, behind: position, format, entriesMax: entriesMax, upTo: number)
      ]
    }
    let middle = positions.startIndex + positions.count / 2
    return try await readEach(
      behind: positions[..<middle], format, entriesMax: entriesMax, upTo: number)
      + readEach(behind: positions[middle...], format, entriesMax: entriesMax, upTo: number)
  }

  /// Reads ever fewer entries, until none of them fails or the first one does.
  private func readBeforeFault(
    _ fault: ApplicationError, behind position: EventPosition, _ format: AccessFormat,
    entriesMax: Int64,
    upTo number: Int64
  ) async throws(ApplicationError) -> Result<SequencePage, ApplicationError> {
    surroundings.log.failure(
      "read entry of sequence failed", fault, .number("account_id", position.account.rawValue))
    var (countMax, fault) = (entriesMax, fault)
    while countMax > 1 {
      countMax = max(countMax / 8, 1)
      do throws(ApplicationError) {
        return .success(
          try await readWhole(
            behind: [position], format, entriesMax: countMax, upTo: number)[0])
      } catch {
        guard error.reason == .internalError else { throw error }
        fault = error
      }
    }
    guard case .track4run = form else { return .failure(fault) }
    let rows = try await surroundings.database.rows(
      EventsBehind(thirdParties: [position.account], after: [position.after], countMax: 1))
    return .success(SequencePlan([position], rows).unreadablePage(behind: position))
  }

  private func readWhole(
    behind positions: [EventPosition], _ format: AccessFormat, entriesMax: Int64,
    upTo number: Int64
  ) async throws(ApplicationError) -> [SequencePage] {
    let pages = try await surroundings.database.transaction(
      retrying: .conflicts(times: 3), within: Self.timeMax
    ) { (transaction) throws(ApplicationError) -> [SequencePage] in
      let rows = try await transaction.run(
        EventsBehind(
          thirdParties: positions.map(\.account), after: positions.map(\.after),
          countMax: entriesMax))
      let plan = SequencePlan(positions, rows.filter { $0.firstNumber <= number })
      let now = surroundings.world.now()
      let proofs = try await ConsentProofs.check(plan.requestIDs, at: now, in: transaction)
      let found = try await samples.samples(of: plan.selections(under: proofs))
      let emergencies = try await EmergencyDeliveries(
        surroundings: surroundings, areAllAdmitted: areAllAdmitted
      ).messages(of: plan.emergencies, in: transaction)
      let pages = try plan.pages(
        under: proofs, found, emergencies, in: form, entriesMax: entriesMax)
      try await accesses.record(
        pages.flatMap(\.deliveries).map { $0.access(format, at: now) }
          + pages.flatMap(\.calls).map {
            AccessedData($0.message, to: $0.hospital, format, at: now)
          },
        in: transaction)
      return pages
    }
    // After the commit: a rolled-back read delivers nothing.
    metrics.delivered.increment(by: UInt64(pages.lazy.map(\.items.count).reduce(0, +)))
    return pages
  }
}

/// The page after a position.
struct SequencePage: Sendable {
  var items: [EventItem] = []
  /// Samples among the items, by request.
  var deliveries: [SequenceDelivery] = []
  /// The emergencies among the items, with the called hospital.
  var calls: [(hospital: AccountID, message: EmergencyMessage)] = []
  /// The position after the page.
  var next: Int64
  /// Whether more entries may exist already.
  var hasMore = false
}

/// Samples of one request that are sent together.
struct SequenceDelivery: Sendable {
  let account: AccountID
  let thirdParty: AccountID
  let requestID: DataRequestID
  let types: DataTypeSet
  let firstNumber: Int64
  let lastNumber: Int64
  let count: Int

  func access(_ format: AccessFormat, at now: WallTime) -> AccessedData {
    AccessedData(
      account: account, thirdParty: thirdParty, requestID: requestID, time: now, format: format,
      types: types, firstNumber: firstNumber, lastNumber: lastNumber, count: count)
  }
}
