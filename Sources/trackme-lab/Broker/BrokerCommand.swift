import CLinux
import EventLoop
import HTTP
import Installation
import Operations
import Synchronization
import Web

/// `trackme-lab broker`: the local payment broker; the supervisor runs this command if it is
/// needed.
enum BrokerCommand {
  static func run(_ arguments: [String]) -> Int32 {
    SignalSource.block(SignalSource.stopSignals)
    return Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      try Commands.refuse(operands)
      try begin(try LocalBroker(installation))
      // All further work runs on the loop's thread, which finally ends the process.
      while true { pause() }
    }
  }

  private static func begin(_ broker: LocalBroker) throws(StartError) {
    let log = Log(process: LocalBroker.name, level: .info, sink: .standardError)
    let routes = try BrokerRoutes(broker, log: log)
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "broker") } catch {
      throw StartError("The local payment broker can't be started", error)
    }
    loop.execute {
      let lifecycle = Lifecycle(loop: loop, log: log, stopWithin: .seconds(5))
      lifecycle.add(listener(on: broker.port, routes, log: log, loop: loop))
      Commands.run(lifecycle, on: loop)
    }
  }

  private static func listener(
    on port: UInt16, _ routes: BrokerRoutes, log: Log, loop: EventLoop
  ) -> LifecycleComponent {
    let server = Mutex<HTTPServer?>(nil)
    return LifecycleComponent("listener") { () async throws(StartError) in
      do throws(ListenError) {
        let started = try await HTTPServer.start(
          [.tcp(host: "127.0.0.1", port: port)], on: [loop],
          handlers: Service(Router(routes.all), log: log).handlers)
        server.withLock { $0 = started }
      } catch {
        throw StartError.listening(on: port, from: SettingTable.brokerPort, error.cause)
      }
    } stop: {
      await server.withLock { $0 }?.stop()
    }
  }
}
