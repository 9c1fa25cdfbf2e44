import EventLoop
import Installation
import Operations

/// `trackme-lab bench flood`: uploads of people without monitoring at a constant rate, independent
/// of the answers. With a rate of 0 every connection sends as fast as it receives answers: the
/// capacity.
enum BenchFlood {
  struct Order {
    let port: UInt16
    let people: [String]
    /// Uploads per second; 0: each connection sends the next upload after an answer.
    let rate: Int
    /// Heart rates in an upload, one per second; each upload of a person covers an earlier period.
    let samples: Int
    /// The maximum number of connections.
    let connections: Int
    let seconds: Int
  }

  /// Runs the benchmark and prints a line of JSON.
  ///
  /// - Throws: `StartError` for unreadable input.
  static func run(_ arguments: [String]) throws(StartError) {
    guard arguments.count == 6, let port = UInt16(arguments[0]), let rate = Int(arguments[2]),
      let samples = Int(arguments[3]), let connections = Int(arguments[4]),
      let seconds = Int(arguments[5]), rate >= 0, samples > 0, connections > 0, seconds > 0
    else { throw StartError(BenchCommand.usage) }
    let order = Order(
      port: port, people: try BenchDelivery.tokens(arguments[1]), rate: rate,
      samples: samples, connections: connections, seconds: seconds)
    guard !order.people.isEmpty else { throw StartError("\(arguments[1]) names nobody.") }
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "bench") } catch {
      throw StartError("The load generator can't be started", error)
    }
    let result = Pending<String>()
    loop.begin {
      let load = FloodLoad(order, on: loop)
      result.resolve(await load.run())
    }
    Terminal.say(result.wait())
    loop.stop()
  }
}
