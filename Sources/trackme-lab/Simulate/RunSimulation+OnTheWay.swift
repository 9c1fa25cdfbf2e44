import Domain
import HTTP
import Operations
import Time

// The part of the simulation between the start and the results.
extension RunSimulation {
  /// Seconds between two uploads of a runner; an upload has one position per second.
  private static let uploadEvery: Int64 = 2
  /// Seconds between two progress lines.
  private static let progressEvery: Int64 = 10
  /// How long after the end to wait for final results, which wait for late positions.
  private static let resultsWithin: Int64 = 180

  /// Uploads every runner's positions until the run is over. Rejected positions are sent later.
  func follow(_ run: Published) async {
    var notified: Int64 = 0
    while Self.now < run.end, runners.contains(where: \.isOnTheWay) {
      let elapsed = Self.now.secondsSince1970 - run.start.secondsSince1970
      for index in runners.indices where runners[index].isOnTheWay {
        await upload(upTo: elapsed, from: index, in: run)
      }
      if elapsed >= notified + Self.progressEvery {
        notified = elapsed
        report(elapsed, run.course.length)
      }
      await gateway.pause(.seconds(Self.uploadEvery))
    }
  }

  private func upload(upTo elapsed: Int64, from index: Int, in run: Published) async {
    let runner = runners[index]
    guard elapsed > runner.uploaded else { return }
    let fixes = (runner.uploaded + 1...elapsed).map { second in
      SimulatedFix(
        position: runner.legs.position(after: Double(second), on: run.course),
        time: run.start.adding(seconds: second),
        rate: SimulatedFix.rate(of: runner.name, after: second))
    }
    do throws(StartError) {
      let body = SimulationDocuments.upload(fixes)
      let answer = try await gateway.call(
        .post, "/data/upload", body, token: runner.deviceToken)
      if answer.head.status == .unauthorized { return leaveOut(index) }
      guard answer.head.status == .ok else { throw gateway.refusal("/data/upload", answer) }
      runners[index].uploaded = elapsed
      if isOffline { say("uploads continue") }
      isOffline = false
    } catch {
      if !isOffline { say("\(error.description) The positions wait.") }
      isOffline = true
    }
  }

  private func report(_ elapsed: Int64, _ length: Double) {
    let running = runners.filter(\.isOnTheWay).map {
      SimulatedProgress.Runner(name: $0.name, legs: $0.legs)
    }
    say(SimulatedProgress(of: running, after: elapsed, length: length).line)
  }

  /// Waits for the final results and prints them as the runners see them.
  ///
  /// - Throws: `StartError` if the results do not arrive.
  func reportResults(of run: Published) async throws(StartError) {
    guard runners.contains(where: \.isOnTheWay) else {
      throw StartError("No runner has checked in: the run has no results.")
    }
    say("it is over; final results follow after the wait for late positions")
    let path = "/t4r/my/stats?runID=\(run.runID)"
    while Self.now < run.end.adding(seconds: Self.resultsWithin) {
      guard let first = runners.firstIndex(where: \.isOnTheWay) else {
        throw StartError("No runner with a session can read the results: \(run.link)")
      }
      let answer = try await gateway.call(.get, path, token: runners[first].token)
      if answer.head.status == .unauthorized {
        leaveOut(first)
        continue
      }
      guard answer.head.status == .ok else { throw gateway.refusal(path, answer) }
      if let results = SimulationAnswers.finalResults(in: answer.body) {
        for result in results { say(result.line) }
        return say("results: \(run.link)")
      }
      await gateway.pause(.seconds(1))
    }
    throw StartError("No final results arrived within \(Self.resultsWithin) s.")
  }
}
