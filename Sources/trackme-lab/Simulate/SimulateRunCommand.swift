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
      let order = try Order(operands)
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

    /// Parses the arguments.
    ///
    /// - Throws: `StartError` that names the first wrong one.
    package init(_ arguments: [String]) throws(StartError) {
      var options = try SimulationOptions(arguments, of: "run", usage: SimulateRunCommand.usage)
      while let option = try options.next() { try take(option) }
    }

    private mutating func take(_ option: SimulationOption) throws(StartError) {
      switch option.name {
      case "--runners": runners = Int(try option.number(2...Int64(SimulatedPeople.runnersMax)))
      case "--speed-up":
        let bounds = 1...SimulatedCourse.speedUpMax
        guard let factor = Double(option.value), bounds.contains(factor) else {
          throw option.refusal("a number from 1 to \(Int(bounds.upperBound))")
        }
        speedUp = factor
      case "--start": lead = try option.number(20...3600)
      case "--gpx": file = option.value
      default: throw option.isUnknown
      }
    }
  }
}
