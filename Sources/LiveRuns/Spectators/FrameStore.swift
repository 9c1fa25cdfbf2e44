import EventLoop
import Operations
import ServiceKit

/// The current frames of the followed runs on one loop, and the streams of its spectators. Confined
/// to its loop.
final class FrameStore {
  /// The largest number of streams of one loop; each holds one chunk of the shared bytes.
  static let streamsMax = 8_000

  private let loop: EventLoop
  private let metrics: LiveMetrics
  private var frames: [Int64: LiveFrame] = [:]
  private var streams: [Int64: [SpectatorStream]] = [:]
  private var count = 0
  private var isStopped = false

  init(_ metrics: LiveMetrics, on loop: EventLoop) {
    self.metrics = metrics
    self.loop = loop
  }

  /// The current frame of a run, if it is followed.
  func frame(of runID: Int64) -> LiveFrame? { frames[runID] }

  /// Publishes the current frame of a run.
  func show(_ frame: LiveFrame) {
    frames[frame.row.runID] = frame
    for stream in streams[frame.row.runID] ?? [] { stream.show(frame) }
  }

  /// Removes a run that is no longer followed; its spectators are notified that it is over, or
  /// asked to reconnect.
  func remove(_ runID: Int64, _ end: SpectatorStream.End) {
    frames[runID] = nil
    for stream in streams[runID] ?? [] { stream.end(end) }
  }

  /// Opens a stream that begins with this frame.
  ///
  /// - Throws: `unavailable` if the loop has reached its limit or is stopping.
  func open(_ frame: LiveFrame) throws(ApplicationError) -> SpectatorStream {
    guard !isStopped, count < Self.streamsMax else { throw .unavailable(retryAfter: 1) }
    let runID = frame.row.runID
    let stream = SpectatorStream(frames[runID] ?? frame, on: loop)
    stream.index = streams[runID]?.count ?? 0
    streams[runID, default: []].append(stream)
    count += 1
    frame.spectatorCount.enter()
    metrics.open.add(1)
    return stream
  }

  /// Removes a stream whose client has disconnected or received the end.
  func close(_ stream: SpectatorStream) {
    guard var all = streams[stream.runID], stream.index < all.count, all[stream.index] === stream
    else { return }
    all.swapAt(stream.index, all.count - 1)
    all[stream.index].index = stream.index
    all.removeLast()
    streams[stream.runID] = all.isEmpty ? nil : all
    count -= 1
    stream.spectatorCount.leave()
    metrics.open.add(-1)
  }

  /// Ends every stream, so that clients reconnect to another process, and opens no further ones.
  func stop() {
    isStopped = true
    for stream in streams.values.joined() { stream.end(.stopping) }
  }
}
