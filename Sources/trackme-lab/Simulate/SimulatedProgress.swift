import Domain

/// A progress line of the simulated runners: the first three by finish or current position, and the
/// number of finishers.
package struct SimulatedProgress {
  /// A runner for the progress line.
  package struct Runner {
    let name: String
    let legs: SimulatedRunner

    /// Creates a runner with this name.
    package init(name: String, legs: SimulatedRunner) {
      self.name = name
      self.legs = legs
    }
  }

  /// The text of the line.
  package let line: String

  /// The progress of these runners at a time in seconds after the start, on a course of this length
  /// in metres.
  package init(of runners: [Runner], after elapsed: Int64, length: Double) {
    let ranked = runners.map { RankedRunner($0, after: Double(elapsed), length: length) }.sorted()
    let first = ranked.prefix(3).map { "\($0.name) \(Int($0.metres)) m" }.joined(separator: ", ")
    let finished = ranked.count { $0.finishedAfter != nil }
    line = "\(elapsed) s: \(first); \(finished) of \(ranked.count) have finished"
  }
}

private struct RankedRunner: Comparable {
  let name: String
  let metres: Double
  /// The finish time in seconds after the start.
  let finishedAfter: Double?

  init(_ runner: SimulatedProgress.Runner, after elapsed: Double, length: Double) {
    name = runner.name
    metres = runner.legs.metres(after: elapsed, length: length)
    finishedAfter = metres < length ? nil : runner.legs.seconds(toRun: length)
  }

  static func < (one: RankedRunner, other: RankedRunner) -> Bool {
    (one.finishedAfter ?? .infinity, -one.metres, one.name)
      < (other.finishedAfter ?? .infinity, -other.metres, other.name)
  }
}
