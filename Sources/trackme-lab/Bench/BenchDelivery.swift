import CLinux
import Domain
import EventLoop
import Installation
import Operations

/// `trackme-lab bench delivery`: uploads samples one by one at a constant rate, keeps a stream open
/// for each third party, and measures the time from the answer to an upload to the sample's
/// arrival.
///
/// The third party in line N of one file follows the person in line N of the other. Each sample has
/// a unique time that identifies it.
enum BenchDelivery {
  struct Order {
    let port: UInt16
    let people: [String]
    let parties: [String]
    let rate: Int
    let seconds: Int
    /// The time of the first sample, in seconds since 1970.
    let start: Int64
  }

  /// Runs the benchmark and prints a line of JSON.
  ///
  /// - Throws: `StartError` for unreadable input.
  static func run(_ arguments: [String]) throws(StartError) {
    guard arguments.count == 6, let port = UInt16(arguments[0]), let rate = Int(arguments[3]),
      let seconds = Int(arguments[4]), let start = Int64(arguments[5]), rate > 0, seconds > 0
    else { throw StartError(BenchCommand.usage) }
    let (people, parties) = (try tokens(arguments[1]), try tokens(arguments[2]))
    guard people.count == parties.count, !people.isEmpty else {
      throw StartError("There must be as many third parties as people.")
    }
    let order = Order(
      port: port, people: people, parties: parties, rate: rate, seconds: seconds, start: start)
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "bench") } catch {
      throw StartError("The load generator can't be started", error)
    }
    let result = Pending<String>()
    loop.begin {
      let load = DeliveryLoad(order, on: loop)
      result.resolve(await load.run())
    }
    Terminal.say(result.wait())
    loop.stop()
  }

  /// Reads a file with one token per line.
  static func tokens(_ path: String) throws(StartError) -> [String] {
    do throws(SystemError) {
      let bytes = try FileSystem.read(path, bytesMax: 4 << 20)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    } catch {
      throw StartError("\(path) can't be read", error)
    }
  }
}
