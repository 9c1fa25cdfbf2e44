import EventLoop
import Operations

/// `trackme bench flood`: uploads of ordinary people, at an even rate whatever becomes of them, or
/// with a rate of 0 as many as so many connections get answered: the capacity.
enum BenchFlood {
  struct Order {
    let port: UInt16
    let people: [String]
    /// Uploads a second; 0: each connection sends the next one when it has an answer.
    let rate: Int
    /// Heart rates of an upload, one of each second; those of a person go back in time.
    let samples: Int
    /// Connections at most.
    let connections: Int
    let seconds: Int
  }

  /// Runs it and prints a line of JSON.
  ///
  /// - Throws: `StartError` for what can't be read.
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
