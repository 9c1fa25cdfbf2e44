import EventLoop
import Installation
import Operations

/// `trackme-lab bench joins`: each person joins a run once, over this number of connections. Counts
/// the answers.
enum BenchJoins {
  struct Order {
    let port: UInt16
    let runID: Int64
    let tokens: [String]
    let connections: Int
  }

  /// Runs the benchmark and prints a line of JSON.
  ///
  /// - Throws: `StartError` for unreadable input.
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
