import Data4HelpFixture
import Domain
import Emergencies
import EventLoop
import Foundation
import PublicAPI
import Requirements
import Support
import Testing
import Time

extension SingleRequestStage {
  /// Checks for first readings without a pulse that no other reading followed.
  fileprivate func look() async throws {
    try await here { [self] in sosOffline.value.turn() }
  }

  /// The answer to an upload with these parts.
  fileprivate func bring(
    _ samples: [(type: String, value: String)], more: String = "",
    by account: AccountID = Known.mario
  ) async throws -> Reply {
    func list(_ values: [String]) -> String { "[\"\(values.joined(separator: "\",\""))\"]" }
    let body = """
      {"dataTypes":\(list(samples.map(\.type))),"values":\(list(samples.map(\.value))),\
      "timestamp":\(list(samples.map { _ in clock.now.description }))\(more)}
      """
    return try await call(.upload, body, by: account, .singleUser)
  }

  /// A pulse of 75 BPM, and a second later a reading of 0.
  fileprivate func losePulse() async throws {
    try await measure("75")
    clock.advance(seconds: 1)
    try await measure("0")
  }
}

// An emergency is held in memory at once, but stored later: a test that none is raised counts the
// held ones.
@Suite("A heart that stops", .tags(.SOS_13))
struct HeartThatStopsTests {
  @Test(
    "the second reading of 0 after 3 s warns and confirms, and help is called after 20 s",
    .tags(.R35))
  func called() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      try await stage.losePulse()
      stage.clock.advance(milliseconds: 2_999)
      try await stage.measure("0")
      #expect(stage.sos.copyCount == 0)
      stage.clock.advance(milliseconds: 1)
      let reply = try await stage.bring([("heartRate", "19"), ("respiratoryRate", "14")])
      #expect(reply.object["sensorFaults"] as? Int == 1 && reply.object["stored"] as? Int == 1)
      #expect(try await stage.stages(1) == ["confirmed"])
      stage.clock.advance(milliseconds: 19_999)
      #expect(try await stage.turn() == 0)
      stage.clock.advance(milliseconds: 1)
      try await stage.turn()
      #expect(try await stage.stages(2) == ["confirmed", "dispatched"])
      let emergency = try #require(try await stage.emergencies().first)
      #expect(emergency["rule"] as? String == "lossOfPulse")
      let readings = emergency["readings"] as? [[String: Any]]
      #expect(readings?.compactMap { $0["value"] as? String } == ["75", "0", "0", "19", "14"])
      let notified = try await stage.notified(hospital: Known.clinic)
      let data = notified.first?["data"] as? [String: Any]
      #expect(data?["rule"] as? String == "lossOfPulse")
      #expect((data?["cap"] as? String)?.contains("<event>no pulse</event>") == true)
      // None of these readings is a sample.
      let statistics = try await stage.call(
        .statistics, query: "types=heartRate", by: Known.mario, .singleUser)
      let heart = try #require(statistics.list("dataTypes").first)
      #expect((heart["count"] as? Int, heart["min"] as? Double) == (1, 75))
    }
  }

  @Test("without another reading within 10 s of the first the person is asked", .tags(.R35))
  func asked() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.losePulse()
      stage.clock.advance(milliseconds: 9_999)
      try await stage.look()
      #expect(stage.sos.copyCount == 0)
      stage.clock.advance(milliseconds: 1)
      try await stage.look()
      #expect(try await stage.stages(1) == ["asked"])
      let readings = try await stage.emergencies()[0]["readings"] as? [[String: Any]]
      #expect(readings?.compactMap { $0["value"] as? String } == ["75", "0"])
      stage.clock.advance(seconds: 20)
      try await stage.turn()
      #expect(try await stage.stages(3) == ["asked", "confirmed", "dispatched"])
    }
  }

  @Test(
    "a pulse, a step or speed withdraws it, even when confirmed",
    .tags(.R35), arguments: [("heartRate", "70"), ("steps", "2"), ("speed", "0.5")])
  func withdrawn(type: String, value: String) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.losePulse()
      stage.clock.advance(seconds: 3)
      try await stage.measure("0")
      #expect(try await stage.stages(1) == ["confirmed"])
      stage.clock.advance(seconds: 15)
      try await stage.measure(value, type)
      #expect(try await stage.stages(2) == ["confirmed", "withdrawn"])
      stage.clock.advance(seconds: 30)
      #expect(try await stage.turn() == 0)
      #expect(try await stage.emergencies()[0]["calls"] as? [Int] == [])
    }
  }

  @Test(
    "worn, help is called after 5 s; taken off, or with no pulse before, nothing is raised",
    .tags(.R35))
  func onBody() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.enable(Known.laura)
      for account in [Known.mario, Known.laura] { try await stage.measure("75", by: account) }
      for _ in 0..<3 {
        stage.clock.advance(seconds: 2)
        _ = try await stage.bring([("heartRate", "0")], more: ",\"onBody\":[true]")
        let off = try await stage.bring(
          [("heartRate", "0"), ("steps", "0")], more: ",\"onBody\":[false,null]", by: Known.laura)
        #expect(off.status == 200 && off.object["sensorFaults"] as? Int == 1)
      }
      #expect(try await stage.stages(1) == ["confirmed"])
      stage.clock.advance(milliseconds: 4_999)
      #expect(try await stage.turn() == 0)
      stage.clock.advance(milliseconds: 1)
      try await stage.turn()
      #expect(try await stage.stages(2) == ["confirmed", "dispatched"])
      stage.clock.advance(seconds: 60)
      let held = stage.sos.copyCount
      try await stage.look()
      #expect(stage.sos.copyCount == held)
      #expect(try await stage.emergencies(of: Known.laura).isEmpty)
      let short = try await stage.bring([("heartRate", "75")], more: ",\"onBody\":[true,true]")
      #expect(short.status == 400 && short["field"] == "onBody")
    }
  }

  @Test("zeros without an earlier pulse are faults: counted for all, never stored")
  func faults() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      for account in [Known.mario, Known.laura] {
        for _ in 0..<3 {
          stage.clock.advance(seconds: 3)
          let reply = try await stage.bring([("heartRate", "0")], by: account)
          #expect(reply.status == 200)
          #expect(reply.object["sensorFaults"] as? Int == 1)
          #expect(reply.object["stored"] as? Int == 0)
        }
        let refused = try await stage.bring([("heartRate", "-1")], by: account)
        #expect(refused.status == 400)
        let quota = try await stage.call(.quota, by: account, .singleUser)
        #expect(quota.object["bytesUsed"] as? Int == 0)
      }
      stage.clock.advance(seconds: 60)
      try await stage.look()
      #expect(stage.sos.copyCount == 0)
    }
  }
}

@Suite("Emergencies without confirmation")
struct ConclusionTests {
  @Test(
    "after a fall or shaking the person is asked at once, and help is called after one window",
    .tags(.SOS_3), arguments: ["fall", "shaking"])
  func concluded(type: String) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.measure("1", type)
      #expect(try await stage.stages(1) == ["asked"])
      stage.clock.advance(seconds: 4)
      // A second reading does not confirm it.
      try await stage.measure("1", type)
      stage.clock.advance(milliseconds: 999)
      #expect(try await stage.turn() == 0)
      stage.clock.advance(milliseconds: 1)
      try await stage.turn()
      #expect(try await stage.stages(3) == ["asked", "confirmed", "dispatched"])
      let emergency = try await stage.emergencies()[0]
      #expect(emergency["askedAt"] as? String == emergency["suspectedAt"] as? String)
    }
  }

  @Test(
    "after a device's last alert the person is asked at once, and can abort", .tags(.SOS_3, .SOS_4))
  func last() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      for isAborted in [true, false] {
        let rule = isAborted ? "heartRateHigh" : "heartRateLow"
        let value = isAborted ? "150" : "30"
        let alert = """
          {"rule":"\(rule)","last":true,"readings":[{"dataType":"heartRate",\
          "value":"\(value)","timestamp":"\(stage.clock.now)"}]}
          """
        let raised = try await stage.call(.raiseAlert, alert, by: Known.mario, .singleUser)
        #expect((raised.status, raised["stage"]) == (200, "asked"), "\(raised.text)")
        stage.clock.advance(milliseconds: 4_999)
        #expect(try await stage.turn() == 0)
        if isAborted {
          let emergency = try #require(raised["episodeID"])
          let status = try await stage.act(
            .abortEmergency, emergency, by: Known.mario, .singleUser)
          #expect(status == 200)
        }
        stage.clock.advance(milliseconds: 1)
        try await stage.turn()
      }
      #expect(
        try await stage.stages(5) == ["asked", "aborted", "asked", "confirmed", "dispatched"])
    }
  }
}

@Suite("Emergencies among invalid values", .tags(.SOS_13))
struct BadValueTests {
  @Test(
    "an invalid value refuses the upload, and hides no other value",
    arguments: [
      [("position", "95,200"), ("heartRate", "30")],
      [("heartRate", "30"), ("mood", "1")],
      [("heartRate", "300"), ("heartRate", "30"), ("steps", "many")],
    ])
  func upload(samples: [(type: String, value: String)]) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let reply = try await stage.bring(samples)
      #expect(reply.status == 400)
      #expect(reply["detail"]?.contains("judged") == true, "\(reply.text)")
      #expect(try await stage.stages(1) == ["suspected"])
      let emergency = try await stage.emergencies()[0]
      #expect(emergency["rule"] as? String == "heartRateLow")
      let quota = try await stage.call(.quota, by: Known.mario, .singleUser)
      #expect(quota.object["bytesUsed"] as? Int == 0)
      // For a person without monitoring no reading is judged, and the answer is the same.
      let other = try await stage.bring(samples, by: Known.laura)
      #expect(other.status == 400 && other["detail"]?.contains("judged") == false)
      #expect(other["field"] == reply["field"])
    }
  }

  @Test("readings of a refused upload far ahead of the clock appear in no later emergency")
  func ahead() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let ahead = stage.clock.now.adding(seconds: 3600).description
      let body = """
        {"dataTypes":["position","heartRate"],"values":["1,1","60"],\
        "timestamp":["\(ahead)","\(ahead)"]}
        """
      #expect(try await stage.call(.upload, body, by: Known.mario, .singleUser).status == 400)
      try await stage.measure("45.4642,9.19", "position")
      _ = try await stage.calledEmergency()
      let emergency = try await stage.emergencies()[0]
      let position = emergency["position"] as? [String: Any]
      #expect(position?["coordinate"] as? String == "45.4642,9.19")
      let readings = emergency["readings"] as? [[String: Any]] ?? []
      #expect(!readings.isEmpty && readings.allSatisfy { $0["timestamp"] as? String != ahead })
    }
  }

  @Test("75, 30 and 0 are judged in their order, and 0 is counted")
  func mixed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let now = stage.clock.now
      let times = (0..<3).map { "\"\(now.adding(seconds: Int64($0) - 2))\"" }
      let body = """
        {"dataTypes":["heartRate","heartRate","heartRate"],"values":["75",30,0],\
        "timestamp":[\(times.joined(separator: ","))]}
        """
      let reply = try await stage.call(.upload, body, by: Known.mario, .singleUser)
      #expect(reply.status == 200)
      #expect(reply.object["stored"] as? Int == 2 && reply.object["sensorFaults"] as? Int == 1)
      #expect(try await stage.stages(1) == ["suspected"])
      #expect(try await stage.emergencies()[0]["rule"] as? String == "heartRateLow")
    }
  }

  @Test("the readable part of a refused alert is judged")
  func alert() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let time = stage.clock.now
      let alert = """
        {"rule":"nonsense","last":true,"readings":[{"dataType":"mood","value":1,\
        "timestamp":"\(time)"},{"dataType":"heartRate","value":"30","timestamp":"\(time)"}]}
        """
      let reply = try await stage.call(.raiseAlert, alert, by: Known.mario, .singleUser)
      #expect(reply.status == 400)
      #expect(reply["detail"]?.contains("judged") == true, "\(reply.text)")
      #expect(try await stage.stages(1) == ["asked"])
    }
  }
}
