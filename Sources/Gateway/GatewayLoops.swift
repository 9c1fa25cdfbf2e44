import EventLoop
import HTTP
import Synchronization
import Time

/// The gateway's state on each loop, created and ended on that loop, and used there by every
/// server.
package final class GatewayLoops: Sendable {
  private let parts: GatewayParts
  private let contexts = Mutex<[ObjectIdentifier: LoopBound<LoopContext>]>([:])

  /// Creates loops that share these parts.
  package init(_ parts: GatewayParts) { self.parts = parts }

  /// Creates the state of each loop and starts connecting to the replicas.
  package func start(on loops: [EventLoop]) async {
    for loop in loops {
      await loop.run { [self] in
        let context = LoopContext(parts, on: loop)
        context.start()
        contexts.withLock { $0[ObjectIdentifier(loop)] = LoopBound(context, on: loop) }
      }
    }
  }

  /// Closes the connections to the replicas.
  package func stop() async {
    for context in started { await context.loop.run { context.value.stop() } }
  }

  /// Ends the relayed event streams, and rejects new ones.
  package func endStreams() async {
    for context in started { await context.loop.run { context.value.openStreams.stop() } }
  }

  /// Authenticates the gateway under the root secret in use from now on. Callable from any task.
  package func renewSecret() async {
    for context in started { await context.loop.run { context.value.renewSecret() } }
  }

  /// How many addresses polled each run within the last minute, over all loops. Callable from any
  /// task.
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

  /// Whether every loop can serve. Callable from any task.
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
