import Domain
import Testing
import trackme_lab

@Suite("The progress of a simulated run")
struct SimulatedProgressTests {
  @Test("finishers come first by time, then runners by position")
  func order() {
    // The order by name is the reverse of the order by speed.
    let fastest = (0..<8).map { SimulatedRunner(number: $0) }
      .sorted { $0.seconds(toRun: 1_000) < $1.seconds(toRun: 1_000) }
    let runners = fastest.enumerated().map { place, legs in
      SimulatedProgress.Runner(name: "runner \(8 - place)", legs: legs)
    }
    func line(after seconds: Double) -> String {
      SimulatedProgress(of: runners, after: Int64(seconds), length: 1_000).line
    }
    let all = fastest[7].seconds(toRun: 1_000)
    let end = line(after: all)
    #expect(
      end == "\(Int(all)) s: runner 8 1000 m, runner 7 1000 m, runner 6 1000 m; "
        + "8 of 8 have finished")
    let one = fastest[0].seconds(toRun: 1_000)
    #expect(line(after: one).contains(" s: runner 8 1000 m, "))
    #expect(line(after: one - 1).hasSuffix("; 0 of 8 have finished"))
  }
}
