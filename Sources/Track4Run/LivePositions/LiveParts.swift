import EventLoop
import HTTP
import Operations
import Services

/// The live part of the service: one board per loop, and one follower on the first loop that fills
/// all boards.
package struct LiveParts: Sendable {
  private let loops: [LoopPart]
  private let follower: LoopBound<LiveFollower>
  private let limit = GuessLimit()

  /// The parts of one loop.
  private struct LoopPart: Sendable {
    let surroundings: LiveSurroundings
    let board: LoopBound<LiveBoard>
  }

  /// Creates parts for the loops of a process, at least one; the follower runs on the first.
  package init(_ surroundings: [LiveSurroundings], metrics: Metrics) {
    let metrics = LiveMetrics(metrics)
    loops = surroundings.map {
      LoopPart(
        surroundings: $0, board: LoopBound(LiveBoard(metrics, on: $0.loop), on: $0.loop))
    }
    follower = LoopBound(
      LiveFollower(surroundings[0], boards: loops.map(\.board), metrics: metrics),
      on: surroundings[0].loop)
  }

  /// The routes of a loop.
  package func routes(on loop: EventLoop) -> [Route] {
    guard let part = loops.first(where: { $0.surroundings.loop === loop }) else { return [] }
    let runs = LiveRuns(part.board, follower: follower)
    let search = RunnerSearch(
      limit: limit, find: part.surroundings.find, findNamed: part.surroundings.findNamed)
    return LiveRoutes(part.surroundings, runs: runs, search: search).routes
      + OwnLiveRoutes(part.surroundings, runs: runs).routes
      + RunStatisticsRoutes(part.surroundings, runs: runs).routes
  }

  /// The frames of runs on a loop, for routes outside the live part.
  func frames(on loop: EventLoop) -> LiveRuns? {
    loops.first { $0.surroundings.loop === loop }.map { LiveRuns($0.board, follower: follower) }
  }

  /// The runners whose positions stopped arriving. On the first loop.
  package func lostSignals() -> [LostSignal] { follower.value.lostSignals() }

  /// Starts following the runs. From any thread.
  package func start() { follower.loop.execute { follower.value.start() } }

  /// Stops following. From any task.
  package func stop() async {
    let follower = follower
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      follower.loop.begin {
        await follower.value.stop()
        continuation.resume()
      }
    }
  }

  /// Ends the spectator streams. From any task.
  package func endStreams() async {
    for part in loops { await part.board.loop.run { part.board.value.stop() } }
  }

  /// The component that follows the runs.
  var following: LifecycleComponent {
    LifecycleComponent("live runs", start: { () throws(StartError) in start() }) { await stop() }
  }

  /// The component that ends spectator streams. Added after the listener, so that the streams end
  /// before the listener waits for open requests.
  var streams: LifecycleComponent {
    LifecycleComponent("spectators", start: { () throws(StartError) in }) { await endStreams() }
  }
}
