import Domain
import EventLoop
import HTTP

/// One spectator's stream: a whole picture first, then the changes that everybody gets.
///
/// Whoever takes too long for one is given the next whole picture instead, so that nothing is kept
/// for anybody. For its loop.
final class SpectatorStream {
  /// Why it ends.
  enum End: Equatable, Sendable {
    /// The run is over.
    case over
    /// The process stops, or makes way for other runs; the client is told to come again.
    case stopping
    /// The client went away.
    case client
  }

  /// What the client gets next.
  enum Step: Equatable, Sendable {
    /// Events.
    case events([UInt8])
    /// A comment, for there was nothing for 15 s.
    case heartbeat
    /// The end, and why.
    case end(End)
  }

  /// Where the board keeps it.
  var place = 0
  private let loop: EventLoop
  private var frame: LiveFrame
  /// The number of the picture that the client has; nil before the first.
  private var shown: Int64?
  private var ending: End?
  private var hasToldEnd = false
  private var waiting: CheckedContinuation<Void, Never>?

  init(_ frame: LiveFrame, on loop: EventLoop) {
    self.frame = frame
    audience = frame.audience
    self.loop = loop
  }

  /// The run that is watched.
  var runID: Int64 { frame.row.runID }
  /// Who watches it: those whom this stream was counted among, also where the run was forgotten
  /// meanwhile and is followed anew.
  let audience: LiveAudience

  /// There is something new.
  func show(_ frame: LiveFrame) {
    self.frame = frame
    wake()
  }

  /// Ends it after what the client has been given.
  func end(_ end: End) {
    ending = ending ?? end
    wake()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  /// Waits for something to send. The client has taken what it was given before.
  func next() async -> Step {
    if shown == frame.number, ending == nil, !frame.isOver { await wait() }
    if ending == .stopping || ending == .client { return .end(ending ?? .client) }
    if let shown, shown == frame.number {
      guard ending == .over || frame.isOver else {
        return Task.isCancelled ? .end(.client) : .heartbeat
      }
      if hasToldEnd { return .end(.over) }
      hasToldEnd = true
      return .events(frame.endedEvent)
    }
    defer { shown = frame.number }
    if let changes = frame.changes, shown == frame.number - 1 { return .events(changes) }
    return .events(frame.wholeEvents)
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
