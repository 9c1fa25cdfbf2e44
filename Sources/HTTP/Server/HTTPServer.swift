import CLinux
import EventLoop
import Synchronization

/// An address to listen on, with TLS or without.
package struct HTTPListener: Sendable {
  /// The address to listen on, and the source of TLS contexts; nil for plain text.
  package var address: SocketAddress
  package var tls: CurrentTLSContext?
  /// Listening sockets of this address that the starter of the process has opened and shares with
  /// it; the server opens its own if there are none.
  package var shared: [Int32] = []

  /// Listens on the address; with a context, for TLS only.
  package init(_ address: SocketAddress, tls: TLSContext? = nil) {
    self.address = address
    self.tls = tls.map { CurrentTLSContext($0) }
  }

  /// Listens on the address for TLS; each new connection uses the context that is current then.
  package init(_ address: SocketAddress, following tls: CurrentTLSContext) {
    self.address = address
    self.tls = tls
  }
}

/// A server on one or more loops.
///
/// The kernel distributes TCP connections over the loops; connections of Unix-domain sockets, and
/// of shared sockets that are not one for each loop, are distributed in turn. A connection stays on
/// one loop for its whole life.
package final class HTTPServer: Sendable {
  /// Creates the handlers of one loop. It is called once on each loop, and the closure it returns
  /// once for each request, so that handlers can share state of their loop.
  package typealias HandlerFactory = @Sendable (EventLoop) -> () -> any RequestHandler

  /// The most connections that a loop accepts at one address in a turn.
  package static let acceptsPerTurnMax = 64

  /// The addresses the server listens on, with the port chosen by the system for port 0.
  package let addresses: [SocketAddress]
  private let shards: [LoopBound<ServerShard>]

  private init(addresses: [SocketAddress], shards: [LoopBound<ServerShard>]) {
    self.addresses = addresses
    self.shards = shards
  }

  /// Listens on every address and serves on every loop.
  ///
  /// The limits of the settings hold for the connections of all addresses together.
  ///
  /// - Throws: `ListenError` if an address can't be served; all sockets are then closed, shared
  ///   ones too.
  package static func start(
    _ listeners: [HTTPListener], on loops: [EventLoop],
    settings: HTTPServerSettings = HTTPServerSettings(), handlers: @escaping HandlerFactory
  ) async throws(ListenError) -> HTTPServer {
    let opened = try open(listeners, count: loops.count)
    var shards: [LoopBound<ServerShard>] = []
    for loop in loops {
      shards.append(await makeShard(loop, settings, loops.count, handlers))
    }
    let server = HTTPServer(addresses: opened.map(\.bound), shards: shards)
    var unserved = opened.flatMap(\.descriptors)[...]
    for (listener, sockets) in zip(listeners, opened) {
      let spread = sockets.descriptors.count == shards.count ? [] : shards
      for (index, descriptor) in sockets.descriptors.enumerated() {
        do throws(SystemError) {
          try await listen(
            descriptor, listener, on: shards[index % shards.count], spreadingOver: spread)
          unserved.removeFirst()
        } catch {
          await server.stop()
          for descriptor in unserved { _ = CLinux.close(descriptor) }
          throw ListenError(address: listener.address, cause: error)
        }
      }
    }
    return server
  }

  private typealias OpenSockets = (descriptors: [Int32], bound: SocketAddress)

  private static func open(
    _ listeners: [HTTPListener], count: Int
  ) throws(ListenError) -> [OpenSockets] {
    var opened: [OpenSockets] = []
    for listener in listeners {
      do throws(SystemError) {
        opened.append(
          listener.shared.isEmpty
            ? try Listening.open(listener.address, count: count)
            : (listener.shared, try listener.address.bound(listener.shared[0])))
      } catch {
        for descriptor in opened.flatMap(\.descriptors) { _ = CLinux.close(descriptor) }
        throw ListenError(address: listener.address, cause: error)
      }
    }
    return opened
  }

  /// Listens on every address without TLS.
  ///
  /// - Throws: `ListenError` if an address can't be bound.
  package static func start(
    _ addresses: [SocketAddress], on loops: [EventLoop],
    settings: HTTPServerSettings = HTTPServerSettings(), handlers: @escaping HandlerFactory
  ) async throws(ListenError) -> HTTPServer {
    try await start(
      addresses.map { HTTPListener($0) }, on: loops, settings: settings, handlers: handlers)
  }

  /// Stops accepting on every loop, lets requests in progress finish within the drain time, and
  /// returns when every connection is closed.
  package func stop() async {
    for shard in shards { await shard.loop.run { shard.value.stopListening() } }
    guard !shards.isEmpty else { return }
    await withCheckedContinuation { continuation in
      let remaining = Countdown(shards.count) { continuation.resume() }
      for shard in shards {
        shard.loop.execute { shard.value.stop { remaining.decrease() } }
      }
    }
  }

  /// The number of open connections.
  package func connectionCount() async -> Int {
    var count = 0
    for shard in shards {
      count += await shard.loop.run { shard.value.connectionCount }
    }
    return count
  }

  private static func makeShard(
    _ loop: EventLoop, _ settings: HTTPServerSettings, _ shardCount: Int,
    _ handlers: @escaping HandlerFactory
  ) async -> LoopBound<ServerShard> {
    await loop.run {
      let shard = ServerShard(
        loop: loop, settings: settings, shardCount: shardCount, factory: handlers(loop))
      return LoopBound(shard, on: loop)
    }
  }

  /// Accepts on one shard; with `others`, distributes the connections in turn.
  private static func listen(
    _ descriptor: Int32, _ listener: HTTPListener, on shard: LoopBound<ServerShard>,
    spreadingOver others: [LoopBound<ServerShard>]
  ) async throws(SystemError) {
    try await shard.loop.run { () throws(SystemError) in
      try shard.value.listen(
        descriptor, isShared: !listener.shared.isEmpty,
        place: placement(shard, others, listener.tls))
    }
  }

  private static func placement(
    _ shard: LoopBound<ServerShard>, _ others: [LoopBound<ServerShard>],
    _ tls: CurrentTLSContext?
  ) -> (Int32, PeerAddress) -> Void {
    guard others.count > 1 else { return { shard.value.serve($0, from: $1, tls: tls?.value) } }
    var next = 0
    return { descriptor, peer in
      let chosen = others[next % others.count]
      next += 1
      chosen.loop.execute { chosen.value.serve(descriptor, from: peer, tls: tls?.value) }
    }
  }
}

/// Calls a closure when it has been decreased a number of times, on any threads.
private final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let end: @Sendable () -> Void

  init(_ count: Int, _ end: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.end = end
  }

  func decrease() {
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { end() }
  }
}
