import EventLoop
import Operations
import Postgres
import Runs
import ServiceKit
import Web

/// The live part of the service: one frame store per loop, and one follower on the first loop that
/// fills all frame stores.
package struct LiveParts: Sendable {
  private let loops: [LoopPart]
  private let follower: LoopBound<LiveFollower>
  private let limit = GuessLimit()

  /// The parts of one loop.
  private struct LoopPart: Sendable {
    let dependencies: LiveDependencies
    let frameStore: LoopBound<FrameStore>

    var loop: EventLoop { frameStore.loop }
  }

  /// Creates parts for the loops of a process, at least one; the follower runs on the first.
  package init(_ dependencies: [LiveDependencies], metrics: Metrics) {
    let metrics = LiveMetrics(metrics)
    loops = dependencies.map {
      let loop = $0.database.loop
      return LoopPart(
        dependencies: $0, frameStore: LoopBound(FrameStore(metrics, on: loop), on: loop))
    }
    let first = dependencies[0]
    follower = LoopBound(
      LiveFollower(
        environment: first.environment, database: first.database, runData: first.runData,
        runnerNames: first.runnerNames, frameStores: loops.map(\.frameStore), metrics: metrics,
        log: first.log),
      on: first.database.loop)
  }

  /// The routes of a loop.
  package func routes(on loop: EventLoop) -> [Route] {
    guard let part = loops.first(where: { $0.loop === loop }) else { return [] }
    let here = part.dependencies
    let runs = LiveFrames(part.frameStore, follower: follower)
    let search = RunnerSearch(limit: limit, find: here.find, findNamed: here.findNamed)
    return LiveRoutes(runs, search: search, links: here.links, on: loop).routes
      + OrganiserLiveRoutes(
        runs, environment: here.environment, database: here.database, effects: here.effects
      ).routes
      + RunStatisticsRoutes(runs, database: here.database, links: here.links).routes
  }

  /// Reads the runners on a loop for the page of a run.
  package func pages(on loop: EventLoop) -> RunPage.LiveReader {
    let frames = loops.first { $0.loop === loop }.map {
      LiveFrames($0.frameStore, follower: follower)
    }
    return { (runID) throws(ApplicationError) in
      guard let frame = try await frames?.frame(of: runID) else { return nil }
      return RunPage.Live(frame)
    }
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
    for part in loops { await part.frameStore.loop.run { part.frameStore.value.stop() } }
  }

  /// The component that follows the runs.
  package var following: LifecycleComponent {
    LifecycleComponent("live runs", start: { () throws(StartError) in start() }) { await stop() }
  }

  /// The component that ends spectator streams. Added after the listener, so that the streams end
  /// before the listener waits for open requests.
  package var streams: LifecycleComponent {
    LifecycleComponent("spectators", start: { () throws(StartError) in }) { await endStreams() }
  }
}
