import EventLoop
import HTTP
import Operations
import Synchronization

/// Creates a lifecycle component for servers on ports with the same limits.
struct ListeningPorts {
  private let loops: [EventLoop]
  private let settings: HTTPServerSettings
  private let descriptors: Int

  /// The largest number of connections of one address. An IPv4 address may be a whole office, whose
  /// browsers open six each over HTTP/1.1 and one over HTTP/2.
  private static let connectionsPerAddressMax = 2000
  /// Bytes buffered for the clients of a port; 128 MiB for both ports.
  private static let waitingBytesMax = 64 * 1024 * 1024
  /// The time a client has to send its first request.
  private static let firstRequest = Duration.seconds(10)

  /// Creates ports served by these loops. Requests in flight get `drain` to finish. With
  /// `isLimited`, no client can exhaust the connections of the others by opening idle ones (GW-5).
  /// The connections of all ports take at most `descriptors`.
  init(_ loops: [EventLoop], drain: Duration, isLimited: Bool, descriptors: Int = .max) {
    self.loops = loops
    var settings = HTTPServerSettings()
    settings.timeouts.drain = drain
    settings.limits.waitingBytesMax = Self.waitingBytesMax
    if isLimited {
      settings.limits.connectionsPerAddressMax = Self.connectionsPerAddressMax
      settings.timeouts.firstRequest = Self.firstRequest
    }
    self.settings = settings
    self.descriptors = descriptors
  }

  /// Listens on several ports when started. Stopping lets requests in flight finish, those of all
  /// ports at once, so that each has the whole time.
  func component(
    _ name: StaticString, _ ports: [(listener: HTTPListener, setting: Setting<UInt16>)],
    _ handlers: @escaping HTTPServer.HandlerFactory
  ) -> LifecycleComponent {
    let running = RunningServers()
    let loops = loops
    var limited = settings
    limited.limits.limitConnections(descriptors: descriptors, servers: ports.count)
    let settings = limited
    return LifecycleComponent(
      name,
      start: { () throws(StartError) in
        for (listener, setting) in ports {
          do throws(SystemError) {
            running.add(
              try await HTTPServer.start(
                [listener], on: loops, settings: settings, handlers: handlers))
          } catch {
            await running.stop()
            guard case .tcp(_, let port) = listener.address else {
              throw StartError("A socket cannot be opened", error)
            }
            throw StartError.listening(on: port, from: setting, error)
          }
        }
      }, stop: { await running.stop() })
  }
}

/// The servers between start and stop.
private final class RunningServers: Sendable {
  private let servers = Mutex<[HTTPServer]>([])

  func add(_ started: HTTPServer) { servers.withLock { $0.append(started) } }

  func stop() async {
    let started = servers.withLock { servers in
      defer { servers = [] }
      return servers
    }
    await withTaskGroup { group in
      for server in started { group.addTask { await server.stop() } }
    }
  }
}
