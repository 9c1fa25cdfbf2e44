import Domain
import EventLoop
import HTTP

/// One client's stream: the page that it is to get next, handed over in small pieces.
///
/// Whoever is slow holds one page and one piece, and is not given another page before it has taken
/// them.
package final class EventStream {
  /// What is handed to the connection at a time, in bytes: after an end that much of what was read
  /// before it may still be on its way to a client that is slow, and no more.
  package static let pieceBytesMax = 16 << 10
  /// Events outside the sequence that wait behind what a client takes; the oldest make way. A
  /// person has an emergency of each of six rules at most, and each was told before.
  package static let toldMax = 8

  let account: AccountID
  /// The number of the last event that was given to it.
  private(set) var after: Int64
  /// Where the feed keeps it.
  var place = 0
  private(set) var servedAt = MonotonicInstant.zero
  /// Nothing is read for it before.
  private(set) var restsUntil = MonotonicInstant.zero
  private let loop: EventLoop
  private let fence: DeliveryFence
  private var page: EventPage
  private var rest: ArraySlice<UInt8> = []
  /// Events that stand in no sequence, and come behind what was given before.
  private var told: [(name: String, data: [UInt8])] = []
  private var ending: EventMetrics.StreamEnd?
  private var isAway = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// A stream of an account behind a number, which asks this fence before each piece.
  package init(
    _ account: AccountID, after: Int64, _ fence: DeliveryFence, on loop: EventLoop
  ) {
    self.account = account
    self.after = after
    self.fence = fence
    self.loop = loop
    page = EventPage(next: after)
  }

  /// Whether all that it was given has been handed over.
  var isHandedOver: Bool { rest.isEmpty }

  /// Whether its client has taken everything and can be given more.
  package var isWaiting: Bool { rest.isEmpty && ending == nil && !isAway }

  /// Gives it what comes next, where it is waiting.
  package func give(_ page: EventPage, at now: MonotonicInstant) {
    after = max(after, page.next)
    servedAt = now
    guard !page.bytes.isEmpty else { return }
    self.page = page
    rest = page.bytes[...]
    wake()
  }

  /// What comes next can't be read: it is tried again then.
  func rest(until time: MonotonicInstant) { restsUntil = time }

  /// Gives it an event that stands in no sequence, behind what it has: a client that comes again
  /// goes on where it was.
  package func tell(_ name: String, _ data: [UInt8]) {
    told = Array((told + [(name, data)]).suffix(Self.toldMax))
    if !isAway { takeTold() }
  }

  private func takeTold() {
    guard rest.isEmpty, !told.isEmpty else { return }
    var bytes: [UInt8] = []
    for (name, data) in told {
      ServerSentEvent.append(name, id: after, data: data, to: &bytes)
    }
    told = []
    page = EventPage(bytes: bytes, next: after)
    rest = page.bytes[...]
    wake()
  }

  /// Ends it after what it was given.
  package func end(_ reason: EventMetrics.StreamEnd) {
    ending = ending ?? reason
    wake()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  /// What the client gets next.
  package enum Step: Sendable, Equatable {
    /// Events, or a part of one.
    case events([UInt8])
    /// A comment, for there was nothing for 15 s.
    case heartbeat
    /// The end, and why.
    case end(EventMetrics.StreamEnd)
  }

  /// Waits for something to send. The client has taken what it was given before.
  package func next() async -> Step {
    isAway = false
    takeTold()
    if rest.isEmpty, ending == nil { await wait() }
    guard rest.isEmpty else {
      guard page.requestIDs.isEmpty || fence.admits(page.requestIDs, readAt: page.readAt)
      else {
        rest = []
        ending = .recalled
        return .end(.recalled)
      }
      let piece = Array(rest.prefix(Self.pieceBytesMax))
      rest = rest.dropFirst(piece.count)
      isAway = true
      return .events(piece)
    }
    if let ending { return .end(ending) }
    return Task.isCancelled ? .end(.client) : .heartbeat
  }

  private func wait() async {
    let loop = loop
    let bound = LoopBound(self, on: loop)
    let timer = loop.schedule(after: EventWriter.heartbeat) { [self] in wake() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { bound.value.waiting = $0 }
    } onCancel: {
      loop.execute { bound.value.end(.client) }
    }
    timer.cancel()
  }
}
