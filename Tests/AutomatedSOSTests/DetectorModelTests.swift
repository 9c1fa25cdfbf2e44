import AutomatedSOS
import Requirements
import Support
import Testing

@Suite("The detector compared with a slow model")
struct DetectorModelTests {
  /// The number of occurrences of each decision and each verdict.
  private struct Counts {
    var decisions: [String: Int] = [:]
    var verdicts: [Verdict: Int] = [:]
    /// The decisions about losses of pulse among them.
    var losses: [String: Int] = [:]
  }

  /// The decisions by rule, in order; those without a rule under nil.
  private func byRule(_ decisions: [Decision]) -> [Rule?: [Decision]] {
    Dictionary(grouping: decisions) { $0.emergency?.rule }
  }

  private func compare(seed: UInt64, steps: Int, _ counts: inout Counts) -> Bool {
    var stream = RandomStream(seed: seed)
    for number in 0..<steps {
      for step in stream.step() {
        let (ours, theirs) = step.decisions
        let next = stream.detector.nextDeadline?.milliseconds
        let nextOfModel = stream.model.nextDeadline(after: stream.now)
        let agree =
          byRule(ours) == byRule(theirs) && step.verdicts?.0 == step.verdicts?.1
          && next == nextOfModel
        guard agree else {
          Issue.record(
            """
            seed \(seed), step \(number), \(step.what): detector \(ours) \
            \(String(describing: step.verdicts?.0)) next \(next ?? -1), model \(theirs) \
            \(String(describing: step.verdicts?.1)) next \(nextOfModel ?? -1)
            """)
          return false
        }
        for decision in ours {
          counts.decisions[decision.name, default: 0] += 1
          if decision.emergency?.rule == .lossOfPulse {
            counts.losses[decision.name, default: 0] += 1
          }
        }
        if let verdict = step.verdicts?.0 { counts.verdicts[verdict, default: 0] += 1 }
      }
    }
    return true
  }

  // The slow model implements every decision of the detector, so the comparison covers all rules.
  @Test(
    "random readings are decided as by a model that searches the complete history",
    .tags(.R35, .SOS_1, .SOS_3, .SOS_4, .SOS_7, .SOS_9, .SOS_13))
  func likeModel() {
    var counts = Counts()
    for seed in 0..<UInt64(150) {
      guard compare(seed: seed, steps: 150, &counts) else { return }
    }
    for name in [
      "suspected", "asked", "withdrawn", "confirmed", "aborted", "dispatched", "silent",
    ] {
      #expect(counts.decisions[name, default: 0] >= 20, "\(name): \(counts.decisions)")
    }
    for name in ["suspected", "asked", "withdrawn", "confirmed", "dispatched"] {
      #expect(counts.losses[name, default: 0] >= 20, "\(name): \(counts.losses)")
    }
    #expect(counts.verdicts.count == 10 && counts.verdicts.values.allSatisfy { $0 >= 20 })
    let chosen = UInt64.random(in: .min ... .max)
    print("seeds of the detector beside its model: from \(chosen)")
    for offset in 0..<UInt64(50) {
      guard compare(seed: chosen &+ offset, steps: 150, &counts) else { return }
    }
  }

  @Test("repeating a reading changes nothing", .tags(.SOS_3, .SOS_7))
  func idempotent() {
    for seed in 0..<UInt64(50) {
      var (stream, again) = (RandomStream(seed: seed), SeededRandom(seed: seed))
      for _ in 0..<100 {
        _ = stream.step()
        let now = Moment(milliseconds: stream.now)
        let rate = Double.random(in: 40...130, using: &again)
        for measurement in [Measurement.heartRate(rate), .fall, .exercise, .speed(3)] {
          let reading = Reading(measurement, at: now)
          _ = stream.detector.take(reading, at: now)
          let before = stream.detector
          #expect(stream.detector.take(reading, at: now).decisions.isEmpty)
          #expect(stream.detector == before)
        }
      }
    }
  }
}
