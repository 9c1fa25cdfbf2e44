import EventLoop
import HTTP
import Synchronization

/// The gateway's state on each loop, made and ended on that loop, and used there by every server.
package final class GatewayLoops: Sendable {
  private let parts: GatewayParts
  private let contexts = Mutex<[ObjectIdentifier: LoopBound<LoopContext>]>([:])

  /// Loops that share these parts.
  package init(_ parts: GatewayParts) { self.parts = parts }

  /// Makes the state of each loop, and begins to connect to the replicas.
  package func start(on loops: [EventLoop]) async {
    for loop in loops {
      await loop.run { [self] in
        let context = LoopContext(parts, on: loop)
        context.start()
        contexts.withLock { $0[ObjectIdentifier(loop)] = LoopBound(context, on: loop) }
      }
    }
  }

  /// Gives the connections to the replicas up.
  package func stop() async {
    for context in started { await context.loop.run { context.value.stop() } }
  }

  /// Ends the streams of events that are relayed, and opens no more.
  package func endStreams() async {
    for context in started { await context.loop.run { context.value.openStreams.stop() } }
  }

  /// How many addresses polled each run within the last minute, through all loops. From any task.
  package func spectators() async -> [PolledRun: Int] {
    var all: [PolledRun: PollingEstimate] = [:]
    var now = MonotonicInstant.zero
    for context in started {
      let (time, current) = await context.loop.run {
        (context.loop.now, context.value.spectators.current(at: context.loop.now))
      }
      now = max(now, time)
      for (run, estimate) in current where all[run]?.join(estimate) == nil { all[run] = estimate }
    }
    return all.mapValues { $0.count(at: now) }
  }

  /// Whether every loop can serve. From any task.
  package func isReady() async -> Bool {
    for context in started {
      guard await context.loop.run({ context.value.isReady }) else { return false }
    }
    return true
  }

  private var started: [LoopBound<LoopContext>] { contexts.withLock { Array($0.values) } }

  /// For `HTTPServer.start`, on loops that were started here.
  package var handlers: HTTPServer.HandlerFactory {
    { [self] loop in
      let bound = contexts.withLock { $0[ObjectIdentifier(loop)] }
      let context = bound?.value ?? LoopContext(parts, on: loop)
      return { GatewayExchange(context) }
    }
  }
}
