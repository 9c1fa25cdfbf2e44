import Domain
import EventLoop
import HealthRecords
import Operations
import Postgres
import ServiceKit
import Time
import Web

/// Reads the sequences of third parties after given numbers, for any number of readers at once in
/// the same few statements.
///
/// Each read is one transaction: lock the requests against their ends, read, record the accesses,
/// commit; data is sent only after that. The samples are read outside the transaction, while it
/// holds the requests (`ChunksOfSelections`). Samples that a request no longer covers are skipped,
/// and their numbers stay unused.
struct ThirdPartySequence: EventSource {
  /// The most log entries that one read takes for a position.
  static let entriesMax: Int64 = 200
  /// The most sample numbers that one read takes for a position.
  static let numbersMax: Int64 = 2_000
  /// The longest time for one read.
  static let timeMax = Duration.seconds(20)

  let loop: EventLoop
  let environment: Environment
  let database: Database
  let log: Log
  let samples: SampleStore
  let accesses: AccessRecorder
  let metrics: EventMetrics
  /// The content of entries about emergencies.
  let emergencies: any EmergencySource
  /// The format of the entries.
  var form = EventForm.thirdParty

  func heads(of accounts: [AccountID]) async throws(ApplicationError) -> [EventHead] {
    try await database.rows(SequenceHeads(thirdParties: accounts))
  }

  func pages(
    after positions: [EventPosition]
  ) async throws(ApplicationError) -> [Result<EventPage, ApplicationError>] {
    let readAt = loop.now
    let pages = try await readEach(
      after: positions[...], .stream, entriesMax: form.entriesMax, upTo: .max)
    let now = environment.now()
    return pages.map { page in page.map { streamed($0, readAt: readAt, at: now) } }
  }

  private func streamed(
    _ page: SequencePage, readAt: MonotonicInstant, at now: Instant
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
    after position: EventPosition, _ format: AccessFormat,
    entriesMax: Int64 = Self.entriesMax, upTo number: Int64 = .max
  ) async throws(ApplicationError) -> SequencePage {
    try await readEach(after: [position], format, entriesMax: entriesMax, upTo: number)[0].get()
  }

  /// The same for several positions, all at once. If an entry of one position can't be read, the
  /// positions are halved until only that one fails.
  private func readEach(
    after positions: ArraySlice<EventPosition>, _ format: AccessFormat, entriesMax: Int64,
    upTo number: Int64
  ) async throws(ApplicationError) -> [Result<SequencePage, ApplicationError>] {
    let fault: ApplicationError
    do throws(ApplicationError) {
      return try await readWhole(
        after: Array(positions), format, entriesMax: entriesMax, upTo: number
      ).map { .success($0) }
    } catch {
      guard error.reason == .internalError else { throw error }
      fault = error
    }
    guard let position = positions.first else { return [] }
    guard positions.count > 1 else {
      return [
        try await readBeforeFault(
          fault, after: position, format, entriesMax: entriesMax, upTo: number)
      ]
    }
    let middle = positions.startIndex + positions.count / 2
    return try await readEach(
      after: positions[..<middle], format, entriesMax: entriesMax, upTo: number)
      + readEach(after: positions[middle...], format, entriesMax: entriesMax, upTo: number)
  }

  /// Reads ever fewer entries, until none of them fails or the first one does.
  private func readBeforeFault(
    _ fault: ApplicationError, after position: EventPosition, _ format: AccessFormat,
    entriesMax: Int64,
    upTo number: Int64
  ) async throws(ApplicationError) -> Result<SequencePage, ApplicationError> {
    log.failure(
      "read entry of sequence failed", fault, .number("account_id", position.account.rawValue))
    var (countMax, fault) = (entriesMax, fault)
    while countMax > 1 {
      countMax = max(countMax / 8, 1)
      do throws(ApplicationError) {
        return .success(
          try await readWhole(
            after: [position], format, entriesMax: countMax, upTo: number)[0])
      } catch {
        guard error.reason == .internalError else { throw error }
        fault = error
      }
    }
    guard case .track4run = form else { return .failure(fault) }
    let rows = try await database.rows(
      EventsAfter(thirdParties: [position.account], after: [position.after], countMax: 1))
    return .success(SequencePlan([position], rows).unreadablePage(after: position))
  }

  private func readWhole(
    after positions: [EventPosition], _ format: AccessFormat, entriesMax: Int64,
    upTo number: Int64
  ) async throws(ApplicationError) -> [SequencePage] {
    let pages = try await database.transaction(
      retrying: .conflicts(times: 3), within: Self.timeMax
    ) { (transaction) throws(ApplicationError) -> [SequencePage] in
      let rows = try await transaction.run(
        EventsAfter(
          thirdParties: positions.map(\.account), after: positions.map(\.after),
          countMax: entriesMax))
      let plan = SequencePlan(positions, rows.filter { $0.firstNumber <= number })
      let now = environment.now()
      let proofs = try await ConsentProofs.check(plan.requestIDs, at: now, in: transaction)
      let stored = try await samples.samples(of: plan.selections(under: proofs))
      let found = try await emergencies.content(of: plan.emergencies, in: transaction)
      let pages = try plan.pages(
        under: proofs, stored, found, in: form, entriesMax: entriesMax)
      try await accesses.record(
        pages.flatMap(\.deliveries).map { $0.access(format, at: now) }
          + pages.flatMap(\.calls).compactMap { found.access(to: $0, format, at: now) },
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
  /// The emergencies among the items that their hospital is called for.
  var calls: [DeliveredEmergency] = []
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

  func access(_ format: AccessFormat, at now: Instant) -> AccessedData {
    AccessedData(
      account: account, thirdParty: thirdParty, requestID: requestID, time: now, format: format,
      types: types, firstNumber: firstNumber, lastNumber: lastNumber, count: count)
  }
}
