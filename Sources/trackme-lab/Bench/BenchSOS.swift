import EventLoop
import Installation
import Operations

/// `trackme-lab bench sos`: uploads readings of monitored people at a constant rate, some of them
/// critical, and measures the time from a critical reading to the warning on the person's stream.
///
/// The first people of the file are warned in turn and keep their streams open. After a warning
/// their readings return within bounds, so that no hospital is called.
enum BenchSOS {
  struct Order {
    let port: UInt16
    let people: [String]
    /// How many people are warned.
    let watched: Int
    /// Uploads per second, including the critical ones.
    let rate: Int
    /// Critical readings per second.
    let alarms: Int
    let seconds: Int
  }

  /// Runs the benchmark and prints a line of JSON.
  ///
  /// - Throws: `StartError` for unreadable input.
  static func run(_ arguments: [String]) throws(StartError) {
    let numbers = arguments.enumerated().filter { $0.offset != 1 }.compactMap { Int($0.element) }
    guard arguments.count == 6, numbers.count == 5, numbers.allSatisfy({ $0 > 0 }),
      let port = UInt16(exactly: numbers[0])
    else { throw StartError(BenchCommand.usage) }
    let people: [String]
    do throws(SystemError) {
      let bytes = try FileSystem.read(arguments[1], bytesMax: 4 << 20)
      people = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    } catch {
      throw StartError("\(arguments[1]) can't be read", error)
    }
    let order = Order(
      port: port, people: people, watched: numbers[1], rate: numbers[2], alarms: numbers[3],
      seconds: numbers[4])
    guard order.watched < people.count, order.alarms < order.rate else {
      throw StartError("Fewer people must be warned than upload, fewer readings critical.")
    }
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "bench") } catch {
      throw StartError("The load generator can't be started", error)
    }
    let result = Pending<String>()
    loop.begin {
      let load = SOSLoad(order, on: loop)
      result.resolve(await load.run())
    }
    Terminal.say(result.wait())
    loop.stop()
  }
}
