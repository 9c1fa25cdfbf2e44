import Cryptography
import EventLoop
import HTTP
import JSON
import Operations
import PublicAPI
import Synchronization
import Web

/// The addresses where a service behind the gateway listens, and the private port of its metrics.
///
/// Only requests with the internal secret are accepted, before their body is read; this includes
/// the gateway's `/health`. Connections come from the gateway and the other service alone, so they
/// may stay idle for long.
package struct ServiceListener: Sendable {
  private let process: ServiceProcess
  private let listener: HTTPListener
  private let metrics: HTTPListener
  private let secret: InternalSecret
  /// How long requests in flight may take when the process stops; the workers stop after them.
  private let drain: Duration

  /// The listener of the settings.
  ///
  /// - Throws: `StartError` when `TRACKME_LISTEN` is missing, or other machines reach one of them
  ///   without TLS.
  package init(
    _ process: ServiceProcess, secret: InternalSecret, _ connections: InnerConnections
  ) throws(StartError) {
    self.process = process
    self.secret = secret
    let addresses = try process.read { (settings) throws(SettingsError) in
      (
        inner: SocketAddress(try settings.value(SettingTable.listen)),
        metricsBind: try settings.value(SettingTable.metricsBind),
        metricsPort: try settings.value(SettingTable.metricsPort),
        stopWithin: try settings.value(SettingTable.stopWithin)
      )
    }
    drain = addresses.stopWithin * 0.5
    var listener = try connections.listener(addresses.inner)
    listener.shared = process.sockets[.service]
    self.listener = listener
    var metrics = try connections.metricsListener(
      host: addresses.metricsBind, port: addresses.metricsPort)
    metrics.shared = process.sockets[.metrics]
    self.metrics = metrics
  }

  /// The listening component of the process; `routes` creates the routes of each loop.
  package func component(
    routes: @escaping @Sendable (EventLoop) -> [Route]
  ) -> LifecycleComponent {
    let servers = Mutex<[HTTPServer]>([])
    return LifecycleComponent("listener") { () async throws(StartError) in
      // The servers stop one after the other: the requests of the service have the whole time.
      let metrics = try await start(
        metrics, on: [process.loops[0]], isInner: false, drain: .zero
      ) { _ in
        [.metrics(process.metrics), .readiness { process.lifecycle.isReady }]
      }
      do throws(StartError) {
        let server = try await start(
          listener, on: process.loops, isInner: true, drain: drain, routes: routes)
        servers.withLock { $0 = [metrics, server] }
      } catch {
        await metrics.stop()
        throw error
      }
    } stop: {
      for server in servers.withLock({ $0 }).reversed() { await server.stop() }
    }
  }

  private func start(
    _ listener: HTTPListener, on loops: [EventLoop], isInner: Bool, drain: Duration,
    routes: @escaping @Sendable (EventLoop) -> [Route]
  ) async throws(StartError) -> HTTPServer {
    var settings = HTTPServerSettings()
    settings.http2 = .service
    settings.timeouts.idle = .seconds(3600)
    settings.timeouts.drain = drain
    settings.environment = process.environment
    settings.reportShedding(to: process.log, process.metrics)
    do throws(ListenError) {
      return try await HTTPServer.start([listener], on: loops, settings: settings) { loop in
        let router = Router(routes(loop))
        let service =
          isInner
          ? Service.inner(router, secret: secret, log: process.log)
          : Service(router, log: process.log)
        return service.handlers(loop)
      }
    } catch {
      throw StartError("Listening on \(listener.address) failed", error.cause)
    }
  }
}

extension Service {
  /// A service for other processes of the product only: a request without the internal secret gets
  /// the response to an unknown path (404), before its body is read.
  package static func inner(_ router: Router, secret: InternalSecret, log: Log) -> Service {
    var service = Service(router, log: log)
    service.admit = { (head, _) throws(Problem) in
      let isOurs =
        head.fields.withValue(.internalSecret) { value in secret.matches(value) } ?? false
      guard isOurs else { throw .notFound }
    }
    service.exchanged = { $0.write(to: log) }
    return service
  }
}

extension SocketAddress {
  /// The address of a setting.
  package init(_ address: ServiceAddress) {
    switch address {
    case .unix(let path): self = .unix(path: path)
    case .tcp(let host, let port): self = .tcp(host: host, port: port)
    }
  }
}

extension Route {
  /// `GET /health`, by which the gateway checks each replica; 503 while `isReady` is false.
  package static func health(isReady: @escaping @Sendable () -> Bool) -> Route {
    Route(.get, "/health") { (_) throws(Problem) in
      guard isReady() else { throw .unavailable(retryAfter: 1) }
      return .json { $0.field("status", "up") }
    }
  }
}
