import Data4HelpFixture
import Domain
import Emergencies
import EventLoop
import Requirements
import Support
import Testing
import Time

@Suite("Monitored people in runs")
struct RunExerciseTests {
  @Test(
    "a checked-in runner counts as exercising from the start until two minutes after the end",
    .tags(.SOS_1))
  func run() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let requestID = try await stage.checkInMario()
      stage.start()
      // Not for runners without an answer.
      try await stage.followRuns()
      try await stage.measure("150")
      #expect(try await stage.stages(1) == ["suspected"])
      stage.clock.advance(milliseconds: 100)
      try await stage.measure("60")
      #expect(try await stage.stages(2) == ["suspected", "withdrawn"])
      // Answers precede the start; this sets one at the start.
      try stage.run(
        """
        UPDATE data4help.single_requests
           SET status = 2, accepted_types = types, answered_at = now(), relayed_seq = 0,
               ends_at = to_timestamp(to_ts / 1000)
         WHERE request_id = '\(requestID)'
        """)
      try await stage.follow()
      for second in [Int64(1), CheckedInRun.lastsSeconds - 2] {
        stage.clock.advance(seconds: second)
        try await stage.followRuns()
        try await stage.measure("150")
        #expect(try await stage.stages(2) == ["suspected", "withdrawn"])
      }
      // The run is over, and two minutes later the bound at rest applies again.
      stage.clock.advance(seconds: 110)
      try await stage.followRuns()
      try await stage.measure("151")
      #expect(try await stage.stages(2) == ["suspected", "withdrawn"])
      stage.clock.advance(seconds: 20)
      try await stage.measure("152")
      #expect(try await stage.stages(3).last == "suspected")
      // By this reading, not by the previous one, whose emergency might be stored a moment later.
      let suspectedAt = try await stage.emergencies()[0]["suspectedAt"] as? String
      #expect(suspectedAt == stage.clock.now.description)
    }
  }
}

extension SingleRequestStage {
  /// Makes this replica read the current runners.
  func followRuns() async throws {
    try await here { [self] in try await sosFollower.value.followRuns() }
  }
}
