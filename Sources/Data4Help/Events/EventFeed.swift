import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Where a stream stands: whose it is, and the number of the last event that it passed.
struct EventPosition: Sendable {
  let account: AccountID
  let after: Int64
}

/// What comes next for a position.
package struct EventPage: Sendable {
  /// The events as text for a stream; empty where none of the numbers is for this reader.
  var bytes: [UInt8] = []
  /// The number that it leads to.
  var next: Int64
  /// Whose samples are among the events.
  var requestIDs: [DataRequestID] = []
  /// When reading it was begun.
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

/// The number of an account's last event.
struct EventHead: Sendable {
  let account: AccountID
  let last: Int64

  static let columns = Columns(EventHead.init)
}

/// A sequence of events of each account, in the order of commits.
protocol EventSource: Sendable {
  /// The last numbers of these accounts; those that have none are left out.
  func heads(of accounts: [AccountID]) async throws(ApplicationError) -> [EventHead]
  /// What comes behind positions, as much as fits a turn: one page for each, in their order, or the
  /// 500 of one that can't be read.
  ///
  /// - Throws: 503 if a database is away.
  func pages(
    behind positions: [EventPosition]
  ) async throws(ApplicationError) -> [Result<EventPage, ApplicationError>]
  /// Notes up to where clients have taken what their streams were given.
  func note(taken positions: [EventPosition]) async throws(ApplicationError)
}

/// The open streams of one kind on one loop, and the one follower that serves them all.
///
/// Ten times a second, or when the bell rings, one query asks for the last numbers of the accounts
/// that have streams here, and one more reads for those streams that are behind and whose client
/// has taken what it got. So the work of a turn is bounded, a slow client holds one page and
/// nobody up, and every replica serves any account. For its loop.
final class EventFeed {
  /// How often the numbers are looked at.
  static let pause = Duration.milliseconds(100)
  /// How long a stream rests whose events can't be read, while the others go on.
  static let faultPause = Duration.seconds(5)
  /// How long work rests without streams, and after a failure.
  static let longPause = Duration.seconds(1)
  /// Streams of one account on one loop at most.
  static let streamsMax = 10
  /// Streams that one turn reads for.
  static let readMax = 500

  private let source: any EventSource
  private let loop: EventLoop
  private let fence: LoopBound<DeliveryFence>
  private let metrics: EventMetrics
  private let log: Log
  private var streams: [EventStream] = []
  private var countByAccount: [AccountID: Int] = [:]
  /// Up to where clients have taken events, as far as the source has not noted it.
  private var taken: [AccountID: Int64] = [:]
  private var work: RepeatingWork?
  private var isStopped = false

  init(_ source: any EventSource, _ surroundings: Surroundings, _ metrics: EventMetrics) {
    self.source = source
    self.metrics = metrics
    loop = surroundings.loop
    fence = surroundings.fence
    log = surroundings.log
    let loop = loop
    let bound = LoopBound(self, on: loop)
    surroundings.streamBell.heard { loop.execute { bound.value.wake() } }
  }

  private func wake() {
    if !streams.isEmpty { work?.wake() }
  }

  /// Opens a stream of an account behind `after`, or from now on.
  ///
  /// - Throws: 429 for more than `streamsMax`, 503 if the database is away or the process stops.
  func open(_ account: AccountID, after: Int64?) async throws(ApplicationError) -> EventStream {
    let last = try await source.heads(of: [account]).first?.last ?? 0
    guard !isStopped else { throw .unavailable(retryAfter: 1) }
    guard countByAccount[account, default: 0] < Self.streamsMax else {
      throw .rateLimited(retryAfter: 60)
    }
    let stream = EventStream(account, after: min(after ?? last, last), fence.value, on: loop)
    stream.place = streams.count
    streams.append(stream)
    metrics.open.add(1)
    countByAccount[account, default: 0] += 1
    begin()
    work?.wake()
    return stream
  }

  /// Forgets a stream whose client is gone.
  func close(_ stream: EventStream) {
    let last = streams.count - 1
    guard stream.place <= last, streams[stream.place] === stream else { return }
    streams.swapAt(stream.place, last)
    streams[stream.place].place = stream.place
    streams.removeLast()
    metrics.open.add(-1)
    countByAccount[stream.account, default: 1] -= 1
    if countByAccount[stream.account] == 0 { countByAccount[stream.account] = nil }
  }

  /// Gives the streams of an account an event that stands in no sequence: a client that comes again
  /// goes on where it was.
  func tell(_ account: AccountID, _ name: String, _ data: [UInt8]) {
    for stream in streams where stream.account == account { stream.tell(name, data) }
  }

  /// The client of a stream has taken everything that it was given; noted with the next turn.
  func take(_ stream: EventStream) {
    taken[stream.account] = max(taken[stream.account, default: 0], stream.after)
  }

  /// Ends every stream, so that clients go on elsewhere, and opens no more.
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
    let begun = RepeatingWork(on: loop) { await bound.value.turn() }
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

  /// What can't be noted now is with the next turn.
  private func noteTaken() async throws(ApplicationError) {
    guard !taken.isEmpty else { return }
    let noting = taken
    try await source.note(taken: noting.map { EventPosition(account: $0.key, after: $0.value) })
    for (account, number) in noting where taken[account] == number { taken[account] = nil }
  }

  /// One turn; whether there is more to do at once.
  private func serve() async throws(ApplicationError) -> Bool {
    let waiting = streams.filter { $0.isWaiting && $0.restsUntil <= loop.now }
    guard !waiting.isEmpty else { return false }
    let heads = try await source.heads(of: Array(Set(waiting.map(\.account))))
    var last: [AccountID: Int64] = [:]
    for head in heads { last[head.account] = head.last }
    let behind = waiting.filter { $0.isWaiting && last[$0.account, default: 0] > $0.after }
    guard !behind.isEmpty else { return false }
    // Who has waited longest first: where a turn can't serve all, nobody is passed over twice.
    let served = behind.sorted { $0.servedAt < $1.servedAt }.prefix(Self.readMax)
    let pages = try await source.pages(
      behind: served.map { EventPosition(account: $0.account, after: $0.after) })
    for (stream, page) in zip(served, pages) {
      do throws(ApplicationError) { stream.give(try page.get(), at: loop.now) } catch {
        stream.rest(until: loop.now + Self.faultPause)
        metrics.unreadable.increment()
        log.failure(
          "read events of stream failed", error, .number("account_id", stream.account.rawValue))
      }
    }
    return true
  }
}
