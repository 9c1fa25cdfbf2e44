import Data4HelpFixture
import Domain
import Emergencies
import EventLoop
import Foundation
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing
import Time

@Suite("Emergencies")
struct EmergencyTests {
  @Test(
    "121 BPM confirms after 3.0 s, not after 2.9 s; a normal reading in between withdraws",
    .tags(.R35, .SOS_3), arguments: [(2_900, false), (3_000, false), (3_000, true)])
  func confirming(milliseconds: Int, isInterrupted: Bool) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.measure("121")
      #expect(try await stage.stages(1) == ["suspected"])
      stage.clock.advance(milliseconds: 1_500)
      try await stage.measure(isInterrupted ? "100" : "121")
      stage.clock.advance(milliseconds: Int64(milliseconds - 1_500))
      try await stage.measure("121")
      if isInterrupted {
        #expect(try await stage.stages(3) == ["suspected", "withdrawn", "suspected"])
      } else if milliseconds == 3_000 {
        #expect(try await stage.stages(2) == ["suspected", "confirmed"])
      } else {
        // It is not confirmed: thirty seconds later the person is asked.
        stage.clock.advance(milliseconds: 27_100)
        try await stage.turn()
        #expect(try await stage.stages(2) == ["suspected", "asked"])
      }
    }
  }

  @Test(
    "nobody is warned with monitoring disabled or paused, or with readings in bounds", .tags(.SOS_9)
  )
  func unwatched() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.measure("120")
      try await stage.measure("190", by: Known.laura)
      let until = stage.clock.now.adding(seconds: 60)
      let pause = "{\"until\":\"\(until)\"}"
      #expect(
        try await stage.call(.pauseMonitoring, pause, by: Known.mario, .singleUser).status == 200)
      try await stage.follow()
      stage.clock.advance(seconds: 30)
      try await stage.measure("190")
      stage.clock.advance(seconds: 30)
      try await stage.measure("191")
      #expect(try await stage.stages(1) == ["suspected"])
      let suspectedAt = try await stage.emergencies()[0]["suspectedAt"] as? String
      #expect(suspectedAt == stage.clock.now.description, "not by a reading in the pause")
      #expect(try await stage.call(.disableSOS, by: Known.mario, .singleUser).status == 200)
      #expect(try await stage.stages(2) == ["suspected", "aborted"])
      try await stage.follow()
      stage.clock.advance(seconds: 700)
      try await stage.measure("192")
      // An alert is answered after earlier transitions of the person are stored.
      for account in [Known.mario, Known.laura] {
        try await stage.enable(account)
        let alert = """
          {"rule":"heartRateHigh","readings":[{"dataType":"heartRate","value":"100",\
          "timestamp":"\(stage.clock.now)"}]}
          """
        #expect(try await stage.call(.raiseAlert, alert, by: account, .singleUser).status == 409)
      }
      #expect(try await stage.emergencies(of: Known.laura).isEmpty)
      #expect(try await stage.emergencies().count == 1)
    }
  }

  @Test(
    "an abort 4.9 s after the warning is in time; at 5.1 s it is refused, dispatched or not",
    .tags(.SOS_4), arguments: [(4_900, 200), (5_000, 409), (5_100, 409)])
  func abort(milliseconds: Int, status: Int) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let emergency = try await stage.confirmedEmergency()
      stage.clock.advance(milliseconds: Int64(milliseconds - 3_000))
      let aborted = try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser)
      #expect(aborted == status)
      stage.clock.advance(seconds: 5)
      try await stage.turn()
      let last = status == 200 ? "aborted" : "dispatched"
      #expect(try await stage.stages(3) == ["suspected", "confirmed", last])
      let again = try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser)
      #expect(again == 409)
      let others = try await stage.act(.abortEmergency, emergency, by: Known.laura, .singleUser)
      #expect(others == 404)
    }
  }

  @Test("of an abort and a call at the same moment one takes place", .tags(.SOS_4, .SOS_7))
  func race() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      var aborted = 0
      for _ in 0..<20 {
        let drills = try await stage.call(.beginDrill, by: Known.mario, .singleUser)
        let emergency = try #require(drills["episodeID"])
        // For one replica the window is open, for the other it is over.
        stage.clock.advance(milliseconds: 4_999)
        async let abort = stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser)
        stage.clock.advance(milliseconds: 1)
        async let moved = stage.turn()
        let (status, count) = try await (abort, moved)
        #expect((status == 200) != (count == 1), "\(status), \(count)")
        aborted += status == 200 ? 1 : 0
        stage.clock.advance(seconds: 20)
      }
      let ended = try await stage.emergencies().compactMap { $0["stage"] as? String }
      #expect(ended.count { $0 == "aborted" } == aborted)
      #expect(ended.count { $0 == "drill over" } == 20 - aborted)
    }
  }

  @Test("without a second reading the person is asked, and no answer calls help", .tags(.SOS_3))
  func asked() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.measure("131")
      #expect(try await stage.stages(1) == ["suspected"])
      stage.clock.advance(milliseconds: 29_999)
      #expect(try await stage.turn() == 0)
      stage.clock.advance(milliseconds: 1)
      try await stage.turn()
      #expect(try await stage.stages(2) == ["suspected", "asked"])
      stage.clock.advance(seconds: 5)
      try await stage.turn()
      #expect(
        try await stage.stages(4) == ["suspected", "asked", "confirmed", "dispatched"])
    }
  }

  @Test("readings that keep breaking the rule make one call, over three replicas", .tags(.SOS_7))
  func once() async throws {
    try await SingleRequestStage.with { first in
      try await first.populateEmergencies()
      try await first.hospital(Known.clinic, at: "45.46,9.19")
      try await SingleRequestStage.replica(of: first.installation) { second in
        try await SingleRequestStage.replica(of: first.installation) { third in
          let replicas = [first, second, third]
          for replica in replicas { try await replica.follow() }
          for number in 0..<150 {
            try await replicas[number % 3].measure("\(130 + number % 7)")
            for replica in replicas {
              replica.clock.advance(milliseconds: 333)
              try await replica.turn()
              try await replica.follow()
            }
          }
        }
      }
      let emergencies = try await first.emergencies()
      #expect(emergencies.count == 1)
      let calls = emergencies.first?["calls"] as? [[String: Any]]
      #expect(calls?.count { $0["contact"] == nil } == 2)
      let notified = try await first.notified(hospital: Known.clinic)
      #expect(notified.compactMap { $0["type"] as? String } == ["sos.called"])
    }
  }

  @Test("a replica that crashes during the countdown is replaced by another one", .tags(.SOS_7))
  func takenOver() async throws {
    try await SingleRequestStage.with { survivor in
      try await survivor.populateEmergencies()
      try await survivor.hospital(Known.clinic, at: "45.46,9.19")
      try await SingleRequestStage.replica(of: survivor.installation) { lost in
        try await lost.follow()
        _ = try await lost.confirmedEmergency()
      }
      survivor.clock.advance(milliseconds: 4_999)
      #expect(try await survivor.turn() == 0)
      survivor.clock.advance(milliseconds: 1)
      #expect(try await survivor.turn() == 1)
      #expect(try await survivor.turn() == 0)
      #expect(try await survivor.notified(hospital: Known.clinic).count == 1)
    }
  }

  @Test("a replica that missed the end of an emergency does not continue it", .tags(.SOS_7))
  func missedEnd() async throws {
    try await SingleRequestStage.with { first in
      try await first.populateEmergencies()
      try await SingleRequestStage.replica(of: first.installation) { second in
        try await first.measure("131")
        #expect(try await first.stages(1) == ["suspected"])
        try await second.follow()
        first.clock.advance(seconds: 1)
        try await first.measure("100")
        #expect(try await first.stages(2) == ["suspected", "withdrawn"])
        // By now no replica has it in memory.
        for replica in [first, second] { replica.clock.advance(seconds: 60) }
        try await second.follow()
        try await second.measure("132")
        #expect(try await first.stages(3) == ["suspected", "withdrawn", "suspected"])
      }
    }
  }

  @Test("emergencies raised by one upload are in the history as measured", .tags(.SOS_8))
  func order() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let now = stage.clock.now
      let moments = (0..<8).map { now.adding(milliseconds: Int64($0 * 5 - 900)) }
      // The threshold is crossed four times and left three times, with a fall at one of these
      // moments.
      let samples =
        moments.indices.map { ("heartRate", $0 % 2 == 0 ? "131" : "80", moments[$0]) }
        + [("fall", "1", moments[4])]
      func column<Value>(_ value: ((String, String, Instant)) -> Value) -> String {
        samples.map { "\"\(value($0))\"" }.joined(separator: ",")
      }
      let body = """
        {"dataTypes":[\(column { $0.0 })],"values":[\(column { $0.1 })],\
        "timestamp":[\(column { $0.2 })]}
        """
      #expect(try await stage.call(.upload, body, by: Known.mario, .singleUser).status == 200)
      _ = try await stage.stages(9)
      var listed: [String] = []
      var query = "limit=2"
      for _ in 0..<3 {
        let page = try await stage.call(.emergencies, query: query, by: Known.mario, .singleUser)
        listed += page.list("episodes").compactMap { $0["episodeID"] as? String }
        if let next = page["next"] { query = "limit=2&cursor=\(next)" }
      }
      let expected = try stage.cell(
        """
        SELECT string_agg(emergency_id::text, ',' ORDER BY first_critical DESC, rule DESC)
          FROM data4help.emergencies
        """)
      #expect(listed.count == 5)
      #expect(listed.joined(separator: ",") == expected)
    }
  }

  @Test("a silent device is reported once, and again after new data", .tags(.SOS_9))
  func silence() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      func look() async throws {
        try await stage.here { try await stage.sosSilence.value.turn() }
      }
      stage.clock.advance(seconds: 599)
      try await look()
      #expect(try await stage.stages(0) == [])
      stage.clock.advance(seconds: 1)
      for _ in 0..<3 { try await look() }
      #expect(try await stage.stages(1) == ["silent"])
      stage.clock.advance(seconds: 60)
      try await stage.measure("70")
      try await look()
      stage.clock.advance(seconds: 600)
      try await look()
      #expect(try await stage.stages(2) == ["silent", "silent"])
    }
  }

  @Test("an alert of a device names the emergency, and is refused without one", .tags(.R35))
  func alert() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      #expect(try await stage.alert(150, by: Known.laura).status == 409)
      #expect(try await stage.alert(100).status == 409)
      stage.clock.advance(seconds: 1)
      #expect(try await stage.alert(150, "heartRateLow").status == 409)
      stage.clock.advance(seconds: 1)
      let raised = try await stage.alert(151)
      #expect(raised["stage"] == "suspected")
      let emergency = try #require(try await stage.emergencies().first)
      #expect(emergency["episodeID"] as? String == raised["episodeID"])
      #expect((emergency["position"] as? [String: Any])?["coordinate"] as? String == "45,9")
      #expect((emergency["readings"] as? [Any])?.isEmpty == false)
    }
  }

  @Test(
    "the answer to an alert says until when an emergency that is over keeps its rule quiet",
    .tags(.SOS_7), arguments: ["aborted", "false alarm"])
  func quiet(end: String) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let isAborted = end == "aborted"
      let emergency = try await isAborted ? stage.confirmedEmergency() : stage.calledEmergency()
      stage.clock.advance(milliseconds: 100)
      let under = try await stage.alert(150)
      #expect(under["episodeID"] == emergency)
      #expect(under["stage"] == (isAborted ? "confirmed" : "dispatched"))
      #expect(under["quietUntil"] == nil)
      let endpoint: Endpoint = isAborted ? .abortEmergency : .reportFalseAlarm
      #expect(try await stage.act(endpoint, emergency, by: Known.mario, .singleUser) == 200)
      let quietUntil = stage.clock.now.adding(seconds: 600).description
      let notice = try await stage.notices(of: Known.mario, .singleUser, "limit=1")
      let notified = notice.list("items").first?["data"] as? [String: Any]
      #expect(notified?["stage"] as? String == end)
      #expect(notified?["quietUntil"] as? String == quietUntil)
      try await stage.follow()
      // Readings belong to it, and do not extend the quiet time.
      for seconds: Int64 in [1, 598] {
        stage.clock.advance(seconds: seconds)
        let answer = try await stage.alert(150 + Int(seconds % 7))
        #expect((answer["episodeID"] == emergency, answer["stage"] == end) == (true, true))
        #expect(answer["quietUntil"] == quietUntil)
      }
      #expect(try await stage.emergencies().count == 1)
      stage.clock.advance(seconds: 1)
      let next = try await stage.alert(152)
      #expect((next["stage"], next["quietUntil"]) == ("suspected", nil))
      #expect(next["episodeID"] != emergency)
    }
  }
}

extension SingleRequestStage {
  /// Raises an alert of a device with one heart rate.
  fileprivate func alert(
    _ value: Int, _ rule: String = "heartRateHigh", by account: AccountID = Known.mario
  ) async throws -> Reply {
    let reading = """
      {"dataType":"heartRate","value":\(value),"timestamp":"\(clock.now)"}
      """
    return try await call(
      .raiseAlert, "{\"rule\":\"\(rule)\",\"readings\":[\(reading)],\"coordinate\":\"45,9\"}",
      by: account, .singleUser)
  }
}
