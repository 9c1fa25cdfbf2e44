import EventLoop
import HTTP
import Operations
import Synchronization

/// Makes a component of a server on one port.
struct ListeningPort {
  private let loops: [EventLoop]
  private let settings: HTTPServerSettings

  /// Ports that these loops serve; what is under way gets `drain` to finish.
  init(_ loops: [EventLoop], drain: Duration) {
    self.loops = loops
    var settings = HTTPServerSettings()
    settings.timeouts.drain = drain
    self.settings = settings
  }

  /// Listens when it is started; stopping lets what is under way finish.
  func component(
    _ name: StaticString, _ listener: HTTPListener, _ setting: Setting<UInt16>,
    _ handlers: @escaping HTTPServer.HandlerFactory
  ) -> LifecycleComponent {
    let running = RunningServer()
    let loops = loops
    let settings = settings
    return LifecycleComponent(
      name,
      start: { () throws(StartError) in
        do throws(SystemError) {
          running.set(
            try await HTTPServer.start(
              [listener], on: loops, settings: settings, handlers: handlers))
        } catch {
          guard case .tcp(_, let port) = listener.address else {
            throw StartError("A socket cannot be opened", error)
          }
          throw StartError.listening(on: port, from: setting, error)
        }
      }, stop: { await running.stop() })
  }
}

/// The server between its start and its stop.
private final class RunningServer: Sendable {
  private let server = Mutex<HTTPServer?>(nil)

  func set(_ started: HTTPServer) { server.withLock { $0 = started } }

  func stop() async {
    let started = server.withLock { $0.take() }
    await started?.stop()
  }
}
