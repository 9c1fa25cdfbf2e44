import Cryptography
import Domain
import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit

/// `trackme-lab bench live`: stores one position per second for each runner, in the way of
/// Data4Help's change feed consumer, and keeps spectators' streams open through the gateway.
/// Measures the age of positions on arrival and their size in bytes.
enum BenchLive {
  struct Order {
    let port: UInt16
    let runID: Int64
    /// The start of the run, in whole seconds since 1970.
    let start: Int64
    let runners: Int
    let spectators: Int
    let seconds: Int
    let databaseURL: String
    let root: RootSecret
  }

  /// Runs the benchmark and prints a line of JSON.
  ///
  /// - Throws: `StartError` for unreadable input.
  static func run(_ arguments: [String]) throws(StartError) {
    let numbers = arguments.compactMap { Int($0) }
    guard arguments.count == 6, numbers.count == 6, numbers.allSatisfy({ $0 > 0 }),
      let port = UInt16(exactly: numbers[0])
    else { throw StartError(BenchCommand.usage) }
    let (installation, _) = try Installation.read([], commandFlags: [])
    let order = Order(
      port: port, runID: Int64(numbers[1]), start: Int64(numbers[2]), runners: numbers[3],
      spectators: numbers[4], seconds: numbers[5],
      databaseURL: try DatabaseURLs(installation).url(.track4run, .trackme).revealed,
      root: try installation.settings.rootSecret())
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "bench") } catch {
      throw StartError("The load generator can't be started", error)
    }
    let result = Pending<String>()
    loop.begin {
      let load = LiveLoad(order, on: loop)
      result.resolve(await load.run())
    }
    Terminal.say(result.wait())
    loop.stop()
  }
}
