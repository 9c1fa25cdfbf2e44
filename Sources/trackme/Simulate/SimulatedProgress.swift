import Domain

/// Where simulated runners are, in a line: the first three, in the order in which they finished or
/// lie, and how many have finished.
package struct SimulatedProgress {
  /// Somebody who runs.
  package struct Runner {
    let name: String
    let legs: SimulatedRunner

    /// Somebody of this name.
    package init(name: String, legs: SimulatedRunner) {
      self.name = name
      self.legs = legs
    }
  }

  /// The line.
  package let line: String

  /// Where these are so many seconds after the start, on a course of so many metres.
  package init(of runners: [Runner], after elapsed: Int64, length: Double) {
    let places = runners.map { Place($0, after: Double(elapsed), length: length) }.sorted()
    let first = places.prefix(3).map { "\($0.name) \(Int($0.metres)) m" }.joined(separator: ", ")
    let finished = places.count { $0.finishedAfter != nil }
    line = "\(elapsed) s: \(first); \(finished) of \(places.count) have finished"
  }
}

private struct Place: Comparable {
  let name: String
  let metres: Double
  /// In seconds after the start.
  let finishedAfter: Double?

  init(_ runner: SimulatedProgress.Runner, after elapsed: Double, length: Double) {
    name = runner.name
    metres = runner.legs.metres(after: elapsed, length: length)
    finishedAfter = metres < length ? nil : runner.legs.seconds(toRun: length)
  }

  static func < (one: Place, other: Place) -> Bool {
    (one.finishedAfter ?? .infinity, -one.metres, one.name)
      < (other.finishedAfter ?? .infinity, -other.metres, other.name)
  }
}
