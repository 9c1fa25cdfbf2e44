import Domain
import EventLoop
import Web

/// The stream of one spectator: a complete picture first, then the shared changes.
///
/// A slow client receives the next complete picture instead of missed changes, so that no changes
/// are buffered per client. Confined to its loop.
final class SpectatorStream {
  /// The reason for the end of the stream.
  enum End: Equatable, Sendable {
    /// The run is over.
    case over
    /// The process is stopping, or needs room for other runs; the client is asked to reconnect.
    case stopping
    /// The client disconnected.
    case client
  }

  /// The next element for the client.
  enum Step: Equatable, Sendable {
    /// Events.
    case events([UInt8])
    /// A comment, sent after 15 s without events.
    case heartbeat
    /// The end and its reason.
    case end(End)
  }

  /// The stream's index in the frame store.
  var index = 0
  private let loop: EventLoop
  private var frame: LiveFrame
  /// The number of the picture that the client has; nil before the first.
  private var shown: Int64?
  private var ending: End?
  private var hasSentEnd = false
  private var waiting: CheckedContinuation<Void, Never>?

  init(_ frame: LiveFrame, on loop: EventLoop) {
    self.frame = frame
    spectatorCount = frame.spectatorCount
    self.loop = loop
  }

  /// The run that is watched.
  var runID: Int64 { frame.row.runID }
  /// The count that includes this stream, even if the run was dropped and followed again
  /// in between.
  let spectatorCount: SpectatorCount

  /// Offers a new frame.
  func show(_ frame: LiveFrame) {
    self.frame = frame
    wake()
  }

  /// Ends the stream after the elements already sent.
  func end(_ end: End) {
    ending = ending ?? end
    wake()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  /// Waits for the next element. The client has received the previous one.
  func next() async -> Step {
    if shown == frame.number, ending == nil, !frame.isOver { await wait() }
    if ending == .stopping || ending == .client { return .end(ending ?? .client) }
    if let shown, shown == frame.number {
      guard ending == .over || frame.isOver else {
        return Task.isCancelled ? .end(.client) : .heartbeat
      }
      if hasSentEnd { return .end(.over) }
      hasSentEnd = true
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
