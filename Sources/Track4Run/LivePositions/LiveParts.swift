import EventLoop
import HTTP
import Operations
import Services

/// The live part of the service: a board on each loop, and on the first one what fills them all.
package struct LiveParts: Sendable {
  private let loops: [LoopPart]
  private let follower: LoopBound<LiveFollower>
  private let limit = GuessLimit()

  /// What belongs to one loop.
  private struct LoopPart: Sendable {
    let surroundings: LiveSurroundings
    let board: LoopBound<LiveBoard>
  }

  /// Parts for the loops of a process, one at least; what fills the boards runs on the first.
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

  /// The pictures of runs as they are on a loop, for what isn't live otherwise.
  func frames(on loop: EventLoop) -> LiveRuns? {
    loops.first { $0.surroundings.loop === loop }.map { LiveRuns($0.board, follower: follower) }
  }

  /// The runners whose positions have stopped. On the first loop.
  package func lostSignals() -> [LostSignal] { follower.value.lostSignals() }

  /// Begins to follow the runs. From any thread.
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

  /// Ends the streams of spectators. From any task.
  package func endStreams() async {
    for part in loops { await part.board.loop.run { part.board.value.stop() } }
  }

  /// Follows the runs.
  var following: LifecycleComponent {
    LifecycleComponent("live runs", start: { () throws(StartError) in start() }) { await stop() }
  }

  /// Ends the streams of spectators: to be added behind the listener, so that they end before it
  /// waits for what is under way.
  var streams: LifecycleComponent {
    LifecycleComponent("spectators", start: { () throws(StartError) in }) { await endStreams() }
  }
}
