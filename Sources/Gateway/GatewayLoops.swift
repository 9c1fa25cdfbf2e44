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
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        loop.execute { [self] in
          let context = LoopContext(parts, on: loop)
          context.start()
          contexts.withLock { $0[ObjectIdentifier(loop)] = LoopBound(context, on: loop) }
          continuation.resume()
        }
      }
    }
  }

  /// Gives the connections to the replicas up.
  package func stop() async {
    for context in contexts.withLock({ Array($0.values) }) {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        context.loop.execute {
          context.value.stop()
          continuation.resume()
        }
      }
    }
  }

  /// Ends the streams of events that are relayed, and opens no more.
  package func endStreams() async {
    for context in contexts.withLock({ Array($0.values) }) {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        context.loop.execute {
          context.value.openStreams.stop()
          continuation.resume()
        }
      }
    }
  }

  /// Whether every loop can serve. From any task.
  package func isReady() async -> Bool {
    for context in contexts.withLock({ Array($0.values) }) {
      let isReady = await withCheckedContinuation { continuation in
        context.loop.execute { continuation.resume(returning: context.value.isReady) }
      }
      if !isReady { return false }
    }
    return true
  }

  /// For `HTTPServer.start`, on loops that were started here.
  package var handlers: HTTPServer.HandlerFactory {
    { [self] loop in
      let bound = contexts.withLock { $0[ObjectIdentifier(loop)] }
      let context = bound?.value ?? LoopContext(parts, on: loop)
      return { GatewayExchange(context) }
    }
  }
}
