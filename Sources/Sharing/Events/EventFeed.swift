import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// The position of a stream: its account, and the number of the last event that it passed.
struct EventPosition: Sendable {
  let account: AccountID
  let after: Int64
}

/// The next events after a position.
package struct EventPage: Sendable {
  /// The events as text for a stream; empty if none of the numbers is for this reader.
  var bytes: [UInt8] = []
  /// The number of the position after it.
  var next: Int64
  /// The requests whose samples are among the events.
  var requestIDs: [DataRequestID] = []
  /// The start of reading it.
  var readAt = MonotonicInstant.zero

  /// A page of its parts.
  package init(
    bytes: [UInt8] = [], next: Int64, requestIDs: [DataRequestID] = [],
    readAt: MonotonicInstant = .zero
  ) {
    self.bytes = bytes
    self.next = next
    self.requestIDs = requestIDs
    self.readAt = readAt
  }
}

/// A sequence of events of each account, in the order of commits.
protocol EventSource: Sendable {
  /// The last numbers of these accounts; accounts without events are left out.
  func heads(of accounts: [AccountID]) async throws(ApplicationError) -> [EventHead]
  /// The events after positions, as many as fit a turn: one page for each, in the order of the
  /// positions, or the `internalError` of a position whose events can't be read.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func pages(
    after positions: [EventPosition]
  ) async throws(ApplicationError) -> [Result<EventPage, ApplicationError>]
  /// Stores up to where clients have received the events of their streams.
  func note(taken positions: [EventPosition]) async throws(ApplicationError)
}

/// The open streams of one kind on one loop, and the one worker that serves them all.
///
/// Ten times a second, or after a wake-up, one query reads the last numbers of the accounts with
/// streams here, and a second one reads the events for those streams that are behind and whose
/// client has received its last page. So the work of a turn is bounded, a slow client holds one
/// page and delays no other, and every replica can serve any account. Only for its loop.
final class EventFeed {
  /// How often the numbers are read.
  static let pause = Duration.milliseconds(100)
  /// How long a stream pauses after its events could not be read; the others continue.
  static let faultPause = Duration.seconds(5)
  /// The pause without streams, and after a failure.
  static let longPause = Duration.seconds(1)
  /// The most streams of one account on one loop.
  static let streamsMax = 10
  /// The most streams that one turn reads for.
  static let readMax = 500

  private let source: any EventSource
  private let loop: EventLoop
  private let fence: LoopBound<RevocationFence>
  private let metrics: EventMetrics
  private let log: Log
  private var streams: [EventStream] = []
  private var countByAccount: [AccountID: Int] = [:]
  /// Positions up to which clients have received events, as far as the source has not stored them.
  private var taken: [AccountID: Int64] = [:]
  private var work: PeriodicTask?
  private var isStopped = false

  init(
    _ source: any EventSource, loop: EventLoop, streamWakeUp: WakeUpSignal,
    fence: LoopBound<RevocationFence>,
    log: Log, _ metrics: EventMetrics
  ) {
    self.source = source
    self.metrics = metrics
    self.loop = loop
    self.fence = fence
    self.log = log
    let bound = LoopBound(self, on: loop)
    streamWakeUp.onSignal { loop.execute { bound.value.wake() } }
  }

  private func wake() {
    if !streams.isEmpty { work?.wake() }
  }

  /// Opens a stream of an account after `after`, or from now on.
  ///
  /// - Throws: `rateLimited` for more than `streamsMax`, `unavailable` if the database is
  ///   unavailable or the process stops.
  func open(_ account: AccountID, after: Int64?) async throws(ApplicationError) -> EventStream {
    let last = try await source.heads(of: [account]).first?.last ?? 0
    guard !isStopped else { throw .unavailable(retryAfter: 1) }
    guard countByAccount[account, default: 0] < Self.streamsMax else {
      throw .rateLimited(retryAfter: 60)
    }
    let stream = EventStream(account, after: min(after ?? last, last), fence.value, on: loop)
    stream.index = streams.count
    streams.append(stream)
    metrics.open.add(1)
    countByAccount[account, default: 0] += 1
    begin()
    work?.wake()
    return stream
  }

  /// Removes a stream whose client has disconnected.
  func close(_ stream: EventStream) {
    let last = streams.count - 1
    guard stream.index <= last, streams[stream.index] === stream else { return }
    streams.swapAt(stream.index, last)
    streams[stream.index].index = stream.index
    streams.removeLast()
    metrics.open.add(-1)
    countByAccount[stream.account, default: 1] -= 1
    if countByAccount[stream.account] == 0 { countByAccount[stream.account] = nil }
  }

  /// Sends an event outside the sequence to the streams of an account; it does not change the
  /// position at which a client resumes.
  func publish(_ account: AccountID, _ name: String, _ data: [UInt8]) {
    for stream in streams where stream.account == account { stream.publish(name, data) }
  }

  /// Marks everything sent to a stream as received by its client; stored with the next turn.
  func take(_ stream: EventStream) {
    taken[stream.account] = max(taken[stream.account, default: 0], stream.after)
  }

  /// Ends every stream, so that clients reconnect to another process, and refuses new ones.
  func stop() async {
    isStopped = true
    for stream in streams { stream.end(.stopping) }
    await work?.stop()
    do throws(ApplicationError) { try await noteTaken() } catch {
      log.failure("store stream positions failed", error, level: .warning)
    }
  }

  private func begin() {
    guard work == nil else { return }
    let bound = LoopBound(self, on: loop)
    let begun = PeriodicTask(on: loop) { await bound.value.turn() }
    work = begun
    begun.start()
  }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      try await noteTaken()
      guard !streams.isEmpty else { return Self.longPause }
      return try await serve() ? .zero : Self.pause
    } catch {
      log.failure("serve event streams failed", error, level: .warning)
      return Self.longPause
    }
  }

  /// Stores received positions; after a failure the next turn tries again.
  private func noteTaken() async throws(ApplicationError) {
    guard !taken.isEmpty else { return }
    let noting = taken
    try await source.note(taken: noting.map { EventPosition(account: $0.key, after: $0.value) })
    for (account, number) in noting where taken[account] == number { taken[account] = nil }
  }

  /// One turn; returns whether more work is ready at once.
  private func serve() async throws(ApplicationError) -> Bool {
    let waiting = streams.filter { $0.isWaiting && $0.restsUntil <= loop.now }
    guard !waiting.isEmpty else { return false }
    let heads = try await source.heads(of: Array(Set(waiting.map(\.account))))
    var last: [AccountID: Int64] = [:]
    for head in heads { last[head.account] = head.last }
    let lagging = waiting.filter { $0.isWaiting && last[$0.account, default: 0] > $0.after }
    guard !lagging.isEmpty else { return false }
    // The stream that was served longest ago comes first: if a turn can't serve all streams, none
    // is skipped twice.
    let served = lagging.sorted { $0.servedAt < $1.servedAt }.prefix(Self.readMax)
    let pages = try await source.pages(
      after: served.map { EventPosition(account: $0.account, after: $0.after) })
    for (stream, page) in zip(served, pages) {
      do throws(ApplicationError) { stream.enqueue(try page.get(), at: loop.now) } catch {
        stream.rest(until: loop.now + Self.faultPause)
        metrics.unreadable.increment()
        log.failure(
          "read events of stream failed", error, .number("account_id", stream.account.rawValue))
      }
    }
    return true
  }
}
