import Domain
import EventLoop
import Time
import Web

/// One client's stream: its next page, sent in small pieces.
///
/// A slow client holds one page and one piece, and receives another page only after them.
package final class EventStream {
  /// The bytes sent to the connection at a time. After a request has ended, at most this amount of
  /// its data can still reach a slow client.
  package static let pieceBytesMax = 16 << 10
  /// The most queued events outside the sequence; the oldest are dropped. A person has at most one
  /// emergency for each of six rules, and each was sent before.
  package static let unsequencedMax = 8

  let account: AccountID
  /// The number of the last event that was passed to the stream.
  private(set) var after: Int64
  /// The index of the stream in its feed.
  var index = 0
  private(set) var servedAt = MonotonicInstant.zero
  /// No events are read for it before this time.
  private(set) var restsUntil = MonotonicInstant.zero
  private let loop: EventLoop
  private let fence: RevocationFence
  private var page: EventPage
  private var rest: ArraySlice<UInt8> = []
  /// Events outside the sequence, sent after the queued page.
  private var unsequenced: [(name: String, data: [UInt8])] = []
  private var ending: EventMetrics.StreamEnd?
  private var isSending = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// A stream of an account after a number, which checks this fence before each piece.
  package init(
    _ account: AccountID, after: Int64, _ fence: RevocationFence, on loop: EventLoop
  ) {
    self.account = account
    self.after = after
    self.fence = fence
    self.loop = loop
    page = EventPage(next: after)
  }

  /// Whether everything passed to the stream was sent.
  var isHandedOver: Bool { rest.isEmpty }

  /// Whether its client has received everything and the stream accepts more.
  package var isWaiting: Bool { rest.isEmpty && ending == nil && !isSending }

  /// Passes it the next page, if it accepts one.
  package func enqueue(_ page: EventPage, at now: MonotonicInstant) {
    after = max(after, page.next)
    servedAt = now
    guard !page.bytes.isEmpty else { return }
    self.page = page
    rest = page.bytes[...]
    wake()
  }

  /// Pauses reading until a time, because its next events can't be read.
  func rest(until time: MonotonicInstant) { restsUntil = time }

  /// Adds an event outside the sequence after its queued data; it does not change the position at
  /// which a client resumes.
  package func publish(_ name: String, _ data: [UInt8]) {
    unsequenced = Array((unsequenced + [(name, data)]).suffix(Self.unsequencedMax))
    if !isSending { queueUnsequenced() }
  }

  private func queueUnsequenced() {
    guard rest.isEmpty, !unsequenced.isEmpty else { return }
    var bytes: [UInt8] = []
    for (name, data) in unsequenced {
      ServerSentEvent.append(name, id: after, data: data, to: &bytes)
    }
    unsequenced = []
    page = EventPage(bytes: bytes, next: after)
    rest = page.bytes[...]
    wake()
  }

  /// Ends the stream after its queued data.
  package func end(_ reason: EventMetrics.StreamEnd) {
    ending = ending ?? reason
    wake()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  /// The next output for the client.
  package enum Step: Sendable, Equatable {
    /// Events, or a part of one.
    case events([UInt8])
    /// A comment, after 15 s without an event.
    case heartbeat
    /// The end, with its reason.
    case end(EventMetrics.StreamEnd)
  }

  /// Waits for the next output. The client has received the previous one.
  package func next() async -> Step {
    isSending = false
    queueUnsequenced()
    if rest.isEmpty, ending == nil { await wait() }
    guard rest.isEmpty else {
      guard !isRevoked else {
        rest = []
        ending = .revoked
        return .end(.revoked)
      }
      let piece = Array(rest.prefix(Self.pieceBytesMax))
      rest = rest.dropFirst(piece.count)
      isSending = true
      return .events(piece)
    }
    if let ending { return .end(ending) }
    return Task.isCancelled ? .end(.client) : .heartbeat
  }

  /// Whether data of the page may not be sent any more.
  var isRevoked: Bool {
    !page.requestIDs.isEmpty && !fence.admits(page.requestIDs, readAt: page.readAt)
  }

  /// Writes a part of the page, which is cut off if one of its requests is revoked.
  func send(_ bytes: [UInt8], to writer: EventWriter) async throws {
    guard !page.requestIDs.isEmpty else { return try await writer.write(bytes) }
    try await fence.write(
      bytes, of: page.requestIDs, readAt: page.readAt, to: writer.body)
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
