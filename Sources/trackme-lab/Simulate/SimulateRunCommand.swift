import EventLoop
import Installation
import Operations

/// `trackme-lab simulate run`: simulates a whole run in real time through the public API of the
/// running installation, to show the spectators' view.
package enum SimulateRunCommand {
  static let usage = """
    usage: trackme-lab simulate run [--runners N] [--speed-up X] [--start SECONDS] [--gpx FILE]
      --runners   how many run, 2 to \(SimulatedPeople.runnersMax) (6)
      --speed-up  draws the course so many times smaller, 1 to 100 (10): it is over sooner, at the
                  pace of people
      --start     seconds from now to the start, 20 to 3600 (30)
      --gpx       the course; two laps around a park in Milan if left out
      --http-port, --state and the other settings say which copy it belongs to
    """

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: ["--runners", "--speed-up", "--start", "--gpx"])
      guard let order = Order(operands) else { throw StartError(usage) }
      guard try installation.optional(SettingTable.smtpURL) == nil else {
        throw StartError(
          "Mails go to a mail server here: runners can only be simulated if mails go to a folder.")
      }
      let loop: EventLoop
      do throws(SystemError) { loop = try EventLoop.start(name: "simulation") } catch {
        throw StartError("The simulation cannot be started", error)
      }
      defer { loop.stop() }
      let result = Pending<Result<Void, StartError>>()
      loop.begin {
        do throws(StartError) {
          let gateway = try LocalGateway(
            installation, on: loop, failure: "The run can't be simulated")
          defer { gateway.shutDown() }
          let simulation = RunSimulation(order, gateway) { Terminal.say($0) }
          result.resolve(.success(try await simulation.run()))
        } catch {
          result.resolve(.failure(error))
        }
      }
      try result.wait().get()
    }
  }

  /// The parsed arguments.
  package struct Order: Equatable, Sendable {
    /// The number of runners.
    package var runners = 6
    /// The factor by which the course is scaled down.
    package var speedUp = 10.0
    /// Seconds from the creation to the start.
    package var lead: Int64 = 30
    /// A GPX file; nil for the built-in course.
    package var file: String?

    /// Returns nil for invalid or out-of-range arguments.
    package init?(_ arguments: [String]) {
      var rest = arguments[...]
      guard rest.popFirst() == "run" else { return nil }
      while let argument = rest.popFirst() {
        guard let value = rest.popFirst() else { return nil }
        switch argument {
        case "--runners":
          guard let count = Int(value), (2...SimulatedPeople.runnersMax).contains(count) else {
            return nil
          }
          runners = count
        case "--speed-up":
          guard let factor = Double(value), (1...SimulatedCourse.speedUpMax).contains(factor) else {
            return nil
          }
          speedUp = factor
        case "--start":
          guard let seconds = Int64(value), (20...3600).contains(seconds) else { return nil }
          lead = seconds
        case "--gpx": file = value
        default: return nil
        }
      }
    }
  }
}
