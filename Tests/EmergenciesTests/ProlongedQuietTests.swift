import Data4HelpFixture
import Domain
import Emergencies
import EventLoop
import Foundation
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Readings that stay critical after a call", .tags(.SOS_7))
struct ProlongedQuietTests {
  @Test(
    "they belong to the current emergency, at every replica, until ten quiet minutes",
    .timeLimit(.minutes(10)))
  func prolonged() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .heard
      let emergency = try await stage.calledEmergency()
      _ = try await stage.stages(4)
      try await stage.follow()
      for minute in 0..<15 {
        stage.clock.advance(seconds: 60)
        try await stage.measure("\(131 + minute % 5)")
        try await stage.prolongQuiet()
        try await stage.follow()
      }
      #expect(try await stage.raise("140") == emergency)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        other.clock.advance(seconds: 5 + 15 * 60 + 1)
        try await other.follow()
        for value in ["133", "134"] {
          other.clock.advance(seconds: 3)
          try await other.measure(value)
        }
        let raised = try await other.raise("141")
        #expect(raised == emergency)
        // After ten minutes without one, the next reading raises another emergency.
        other.clock.advance(seconds: 600)
        try await other.follow()
        try await other.measure("142")
        _ = try await other.stages(5)
      }
      let stages = try await stage.emergencies().compactMap { $0["stage"] as? String }
      #expect(stages == ["suspected", "acknowledged"])
    }
  }

  @Test("they do not extend the quiet time of a false alarm")
  func closed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let emergency = try await stage.calledEmergency()
      try await stage.measure("133")
      let status = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
      #expect(status == 200)
      try await stage.follow()
      for _ in 0..<11 {
        stage.clock.advance(seconds: 60)
        try await stage.measure("134")
        try await stage.prolongQuiet()
        try await stage.follow()
      }
      _ = try await stage.stages(5)
      #expect(try await stage.emergencies().count == 2)
    }
  }
}

extension SingleRequestStage {
  fileprivate func prolongQuiet() async throws {
    try await here { [self] in try await sosFollower.value.prolongQuiet() }
  }

  /// Raises an alert of a device over the threshold; returns its emergency, nil if there is none.
  fileprivate func raise(_ value: String) async throws -> String? {
    let alert = """
      {"rule":"heartRateHigh","readings":[{"dataType":"heartRate","value":"\(value)",\
      "timestamp":"\(clock.now)"}]}
      """
    let raised = try await call(.raiseAlert, alert, by: Known.mario, .singleUser)
    return raised.status == 200 ? raised["episodeID"] : nil
  }
}
