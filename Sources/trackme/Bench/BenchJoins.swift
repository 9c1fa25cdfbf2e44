import EventLoop
import Operations

/// `trackme bench joins`: lets people join a run over so many connections, each person once, and
/// counts what they are answered.
enum BenchJoins {
  struct Order {
    let port: UInt16
    let runID: Int64
    let tokens: [String]
    let connections: Int
  }

  /// Runs it and prints a line of JSON.
  ///
  /// - Throws: `StartError` for what can't be read.
  static func run(_ arguments: [String]) throws(StartError) {
    guard arguments.count == 4, let port = UInt16(arguments[0]), let runID = Int64(arguments[1]),
      let connections = Int(arguments[3]), connections > 0
    else { throw StartError(BenchCommand.usage) }
    let order = Order(
      port: port, runID: runID, tokens: try BenchDelivery.tokens(arguments[2]),
      connections: connections)
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "bench") } catch {
      throw StartError("The load generator can't be started", error)
    }
    let result = Pending<String>()
    loop.execute {
      JoiningLoad(order, on: loop) { result.resolve($0) }.start()
    }
    Terminal.say(result.wait())
    loop.stop()
  }
}
