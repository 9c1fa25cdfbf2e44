import EventLoop
import HTTP
import Operations
import Synchronization

/// Creates a lifecycle component for a server on ports whose connections share its limits.
struct ListeningPorts {
  private let loops: [EventLoop]
  private let settings: HTTPServerSettings

  /// The largest number of connections of one address. An IPv4 address may be a whole office, whose
  /// browsers open six each over HTTP/1.1 and one over HTTP/2.
  private static let connectionsPerAddressMax = 2000
  /// The time a client has to send its first request.
  private static let firstRequest = Duration.seconds(10)

  /// Creates ports served by these loops, with at most `connectionsMax` connections. Requests in
  /// flight get `drain` to finish. With `isLimited`, no client can exhaust the connections of the
  /// others by opening idle ones (GW-5). Resets at the limit of memory are reported.
  init(
    _ loops: [EventLoop], drain: Duration, isLimited: Bool, connectionsMax: Int, log: Log,
    metrics: Metrics
  ) {
    self.loops = loops
    var settings = HTTPServerSettings()
    settings.reportShedding(to: log, metrics)
    settings.timeouts.drain = drain
    settings.limits.connectionsMax = connectionsMax
    if isLimited {
      settings.limits.connectionsPerAddressMax = Self.connectionsPerAddressMax
      settings.timeouts.firstRequest = Self.firstRequest
    }
    self.settings = settings
  }

  /// Listens on the ports when started. Stopping lets requests in flight finish, those of all ports
  /// at once, so that each has the whole time.
  func component(
    _ name: StaticString, _ ports: [(listener: HTTPListener, setting: Setting<UInt16>)],
    _ handlers: @escaping HTTPServer.HandlerFactory
  ) -> LifecycleComponent {
    let running = Mutex<HTTPServer?>(nil)
    let (loops, settings) = (loops, settings)
    return LifecycleComponent(
      name,
      start: { () throws(StartError) in
        do throws(ListenError) {
          let server = try await HTTPServer.start(
            ports.map(\.listener), on: loops, settings: settings, handlers: handlers)
          running.withLock { $0 = server }
        } catch {
          let failed = ports.first { $0.listener.address == error.address }
          guard let failed, case .tcp(_, let port) = error.address else {
            throw StartError("A socket cannot be opened", error.cause)
          }
          throw StartError.listening(on: port, from: failed.setting, error.cause)
        }
      }, stop: { await running.withLock { $0.take() }?.stop() })
  }
}
