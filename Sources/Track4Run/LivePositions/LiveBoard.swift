import EventLoop
import HTTP
import Operations
import Services

/// What one loop shows of the followed runs, and the streams of its spectators. For its loop.
final class LiveBoard {
  /// Streams of one loop at most; each holds a piece of what everybody gets.
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

  /// What is shown of a run, if it is followed.
  func frame(of runID: Int64) -> LiveFrame? { frames[runID] }

  /// Shows a run as it is now.
  func show(_ frame: LiveFrame) {
    frames[frame.row.runID] = frame
    for stream in streams[frame.row.runID] ?? [] { stream.show(frame) }
  }

  /// A run is no longer followed; who still watches it is told that it is over, or to come again.
  func remove(_ runID: Int64, _ end: SpectatorStream.End) {
    frames[runID] = nil
    for stream in streams[runID] ?? [] { stream.end(end) }
  }

  /// Opens a stream that begins with this frame.
  ///
  /// - Throws: 503 when the loop has as many as it may, or stops.
  func open(_ frame: LiveFrame) throws(ApplicationError) -> SpectatorStream {
    guard !isStopped, count < Self.streamsMax else { throw .unavailable(retryAfter: 1) }
    let runID = frame.row.runID
    let stream = SpectatorStream(frames[runID] ?? frame, on: loop)
    stream.place = streams[runID]?.count ?? 0
    streams[runID, default: []].append(stream)
    count += 1
    frame.audience.enter()
    metrics.open.add(1)
    return stream
  }

  /// Forgets a stream whose client is gone or has been told everything.
  func close(_ stream: SpectatorStream) {
    guard var all = streams[stream.runID], stream.place < all.count, all[stream.place] === stream
    else { return }
    all.swapAt(stream.place, all.count - 1)
    all[stream.place].place = stream.place
    all.removeLast()
    streams[stream.runID] = all.isEmpty ? nil : all
    count -= 1
    stream.audience.leave()
    metrics.open.add(-1)
  }

  /// Ends every stream, so that clients go on elsewhere, and opens no more.
  func stop() {
    isStopped = true
    for stream in streams.values.joined() { stream.end(.stopping) }
  }
}
