import Data4HelpFixture
import Domain
import Emergencies
import EventLoop
import Foundation
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Support
import Testing
import Time

extension SingleRequestStage {
  /// Closes the databases, and waits until this replica notices.
  func loseDatabases() async throws {
    try await setUnavailable(true)
    for _ in 0..<2 { await #expect(throws: ApplicationError.self) { try await self.turn() } }
  }

  /// Reopens the databases and stores the offline emergencies.
  func regainDatabases() async throws {
    try await setUnavailable(false)
    var isBack = false
    try await eventually("the storing of offline emergencies", within: .seconds(120)) {
      if isBack {
        try await catchUp()
        return try cell("SELECT count(*) FROM data4help.emergencies") != "0"
      }
      do {
        _ = try await turn()
        isBack = true
      } catch let problem as ApplicationError {
        try #require(problem.reason == .unavailable)
      }
      return false
    }
  }

  /// Advances the offline stages that are due.
  func advanceOffline() async throws {
    try await here { [self] in sosOffline.value.turn() }
  }

  func catchUp() async throws {
    try await here { [self] in await sosOffline.value.catchUp() }
  }

  /// The status of an upload of one value.
  func bring(_ value: String) async throws -> Int {
    let body = """
      {"dataTypes":["heartRate"],"values":["\(value)"],"timestamp":["\(clock.now)"]}
      """
    return try await call(.upload, body, by: Known.mario, .singleUser).status
  }

  /// Prepares an offline phase: Mario uploads, a hospital with a callback is on duty, and this
  /// replica knows both.
  func prepareOfflinePhase(_ endpoint: CallbackReceiver) async throws {
    try await populateEmergencies()
    try await hospital(Known.studio, at: "45.07,7.68")
    let callback = "{\"url\":\"\(endpoint.url)\"}"
    #expect(
      try await call(.storeCallback, callback, by: Known.studio, .thirdParty).status == 200)
    try await measure("45.4642,9.19", "position")
    try await measure("80")
    try await catchUp()
    try await waitUntilKnown()
    clock.advance(seconds: 1)
  }
}

extension SingleRequestStage {
  /// Returns once this replica could describe Mario in a call.
  func waitUntilKnown() async throws {
    try await eventually("knowledge of Mario", within: .seconds(120)) {
      try await here { [self] in sos.knows(Known.mario) }
    }
  }
}

@Suite("Emergencies without the database", .tags(.NFR_4))
struct OfflineEmergencyTests {
  private func with(
    copiesMax: Int = OfflineEmergencies.countMax,
    _ body: @escaping @Sendable (SingleRequestStage, CallbackReceiver) async throws -> Void
  ) async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with(copiesMax: copiesMax) { stage in
        try await stage.prepareOfflinePhase(endpoint)
        try await body(stage, endpoint)
      }
    }
  }

  @Test(
    "an outage from before the reading until after the call: called in time, stored once",
    .tags(.SOS_2, .SOS_5, .SOS_7))
  func unavailable() async throws {
    try await with { stage, endpoint in
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      try await stage.loseDatabases()
      let suspectedAt = stage.clock.now
      #expect(try await stage.bring("131") == 503)
      #expect(try await stage.warnings(stream, 1) == ["suspected"])
      stage.clock.advance(seconds: 3)
      #expect(try await stage.bring("132") == 503)
      #expect(try await stage.warnings(stream, 2) == ["suspected", "confirmed"])
      stage.clock.advance(milliseconds: 1_999)
      try await stage.advanceOffline()
      stage.clock.advance(milliseconds: 1)
      #expect(endpoint.calls.isEmpty)
      try await stage.advanceOffline()
      let call = try #require(try await endpoint.calls(1).first)
      #expect(call.type == "sos.called")
      let data = try #require(call.data)
      #expect((data["person"] as? [String: Any])?["full_name"] as? String == "A")
      #expect((data["position"] as? [String: Any])?["coordinate"] as? String == "45.4642,9.19")
      // The two critical readings, and one of the minute before.
      #expect((data["readings"] as? [Any])?.count == 3)
      #expect(call.id == "sos_\(data["episodeID"] ?? "")")
      // Acknowledging is impossible: the emergency number is called thirty seconds later.
      stage.clock.advance(seconds: 30)
      try await stage.advanceOffline()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.regainDatabases()
      try await stage.catchUp()
      let stored = try await stage.emergencies()
      #expect(stored.count == 1)
      #expect(stored[0]["stage"] as? String == "dispatched")
      #expect(stored[0]["suspectedAt"] as? String == suspectedAt.description)
      #expect(stored[0]["dispatchedAt"] as? String == suspectedAt.adding(seconds: 5).description)
      let calls = SingleRequestStage.calls(in: stored[0])
      #expect(calls.map { $0["hospital"] as? String } == ["Studio", nil])
      #expect(
        calls.first?["calledAt"] as? String == suspectedAt.adding(seconds: 5).description)
      #expect(try await stage.notified(hospital: Known.studio).count == 1)
      #expect(try await stage.stages(1) == ["dispatched"])
      // To the contact, to the hospital, and about the new callback.
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "3")
      try await stage.expectSameMessage(call, endpoint)
      // From here on the stored row counts down.
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      #expect(try await stage.voiceCalls(2) == 2)
      try await stage.advanceOffline()
      #expect(stage.voice.calls.count == 2)
      stream.close()
    }
  }

  @Test("an abort without the database is applied, and stored once", .tags(.SOS_4))
  func abort() async throws {
    try await with { stage, endpoint in
      try await stage.loseDatabases()
      let stream = try await stage.alert()
      let early = try await stage.act(.abortEmergency, stream, by: Known.laura, .singleUser)
      #expect(early == 503)
      #expect(
        try await stage.act(.abortEmergency, stream, by: Known.mario, .singleUser) == 200)
      #expect(
        try await stage.act(.abortEmergency, stream, by: Known.mario, .singleUser) == 409)
      let quietUntil = stage.clock.now.adding(seconds: 600).description
      stage.clock.advance(seconds: 1)
      let again = try await stage.raise()
      #expect((again["episodeID"], again["stage"]) == (stream, "aborted"))
      #expect(again["quietUntil"] == quietUntil)
      stage.clock.advance(seconds: 39)
      try await stage.advanceOffline()
      try await stage.regainDatabases()
      #expect(endpoint.calls.isEmpty && stage.voice.calls.isEmpty)
      let stored = try await stage.emergencies()
      #expect(stored.map { $0["stage"] as? String } == ["aborted"])
      // Its rule is as quiet as after any abort.
      #expect(try await stage.bring("151") == 200)
      #expect(try await stage.emergencies().count == 1)
    }
  }

  @Test(
    "an abort of a stored, due emergency stays valid, even if another replica dispatched it",
    .tags(.SOS_4), arguments: [false, true])
  func abortOfStored(_ isCalledElsewhere: Bool) async throws {
    try await with { stage, endpoint in
      let emergency = try await stage.confirmedEmergency()
      try await stage.follow()
      try await stage.loseDatabases()
      let status = try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser)
      #expect(status == 200)
      stage.clock.advance(seconds: 40)
      if isCalledElsewhere {
        try await stage.setUnavailable(false)
        try await SingleRequestStage.replica(of: stage.installation) { other in
          other.clock.advance(seconds: 60)
          let moved = try await other.turn()
          #expect(moved == 1)
        }
        try await stage.setUnavailable(true)
      }
      try await stage.regainDatabases()
      try await stage.catchUp()
      let stored = try await stage.emergencies()
      #expect(
        stored.map { $0["stage"] as? String } == [isCalledElsewhere ? "false alarm" : "aborted"])
      #expect(SingleRequestStage.calls(in: stored[0]).count == (isCalledElsewhere ? 1 : 0))
      #expect(endpoint.calls.isEmpty && stage.voice.calls.isEmpty)
    }
  }

  @Test(
    "a heard call counts, even if the database returns during it",
    .tags(.SOS_5, .SOS_7), .timeLimit(.minutes(10)), arguments: [false, true])
  func heard(_ isBackMeanwhile: Bool) async throws {
    try await with { stage, _ in
      try await stage.loseDatabases()
      _ = try await stage.alert()
      stage.voice.manner = isBackMeanwhile ? .listening : .heard
      // The person is asked after 30 s, and it is confirmed 5 s later; then come the hospital and
      // the emergency number.
      for seconds in [30, 5, 0, 30] {
        stage.clock.advance(seconds: Int64(seconds))
        try await stage.advanceOffline()
      }
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.regainDatabases()
      try await stage.catchUp()
      stage.voice.manner = .heard
      try await eventually("the stored acknowledgement", within: .seconds(120)) {
        try await stage.catchUp()
        return try await stage.emergencies()[0]["stage"] as? String == "acknowledged"
      }
      #expect(try await stage.emergencies().map { $0["stage"] as? String } == ["acknowledged"])
    }
  }

  @Test(
    "an outage inside the window delays no call, and stored data is kept",
    .tags(.SOS_7))
  func insideTheWindow() async throws {
    try await with { stage, endpoint in
      let emergency = try await stage.confirmedEmergency()
      try await stage.follow()
      try await stage.loseDatabases()
      stage.clock.advance(seconds: 2)
      try await stage.advanceOffline()
      let call = try #require(try await endpoint.calls(1).first)
      #expect(call.id == "sos_\(emergency)")
      try await stage.regainDatabases()
      try await stage.catchUp()
      let stored = try await stage.emergencies()
      #expect(stored.count == 1)
      #expect(stored[0]["confirmedAt"] != nil)
      #expect(SingleRequestStage.calls(in: stored[0]).count == 1)
      #expect(try await stage.notified(hospital: Known.studio).count == 1)
      #expect(try await stage.stages(3) == ["suspected", "confirmed", "dispatched"])
    }
  }

  @Test(
    "ended emergencies are evicted first, those that count down never",
    arguments: [(OfflineEmergencies.countMax, 32), (10, 10)])
  func bounded(copiesMax: Int, count: Int) async throws {
    try await with(copiesMax: copiesMax) { stage, endpoint in
      try await stage.loseDatabases()
      let now = stage.clock.now
      let fall = """
        {"dataTypes":["fall"],"values":["1"],"timestamp":["\(now.adding(seconds: -50))"]}
        """
      #expect(try await stage.call(.upload, fall, by: Known.mario, .singleUser).status == 503)
      // Crossing the threshold and returning fifty times makes fifty withdrawn emergencies.
      let moments = (0..<100).map { now.adding(milliseconds: Int64($0 * 5 - 900)) }
      let values = moments.indices.map { $0 % 2 == 0 ? "\"131\"" : "\"80\"" }
      let body = """
        {"dataTypes":[\(moments.map { _ in "\"heartRate\"" }.joined(separator: ","))],\
        "values":[\(values.joined(separator: ","))],\
        "timestamp":[\(moments.map { "\"\($0)\"" }.joined(separator: ","))]}
        """
      #expect(try await stage.call(.upload, body, by: Known.mario, .singleUser).status == 503)
      #expect(stage.sos.copyCount == count)
      for seconds in [30, 5, 0] {
        stage.clock.advance(seconds: Int64(seconds))
        try await stage.advanceOffline()
      }
      let call = try #require(try await endpoint.calls(1).first)
      #expect(call.data?["rule"] as? String == "fall")
      try await stage.regainDatabases()
      try await stage.catchUp()
      let stored = try await stage.call(
        .emergencies, query: "limit=500", by: Known.mario, .singleUser)
      // Possibly one more that was being stored when it was evicted.
      #expect((count...(count + 1)).contains(stored.list("episodes").count))
      #expect(stage.sos.copyCount == 0)
    }
  }

  @Test("an alert is answered with the newest of several offline emergencies")
  func newest() async throws {
    try await with { stage, _ in
      try await stage.loseDatabases()
      // Crossing the threshold and returning makes withdrawn emergencies.
      for _ in 0..<5 {
        for value in ["131", "80"] {
          #expect(try await stage.bring(value) == 503)
          stage.clock.advance(seconds: 1)
        }
      }
      let raised = try await stage.raise()
      #expect((raised["stage"], raised["quietUntil"]) == ("suspected", nil))
      try await stage.setUnavailable(false)
    }
  }

  @Test(
    "one failed statement is not an outage: the stored row counts down, and no call is repeated",
    .tags(.SOS_7))
  func missedOnce() async throws {
    try await with { stage, endpoint in
      _ = try await stage.confirmedEmergency()
      try await stage.setUnavailable(true)
      await #expect(throws: ApplicationError.self) { try await stage.turn() }
      stage.clock.advance(seconds: 2)
      try await stage.advanceOffline()
      #expect(endpoint.calls.isEmpty)
      try await stage.regainDatabases()
      #expect(try await stage.notified(hospital: Known.studio).count == 1)
    }
  }
}

extension SingleRequestStage {
  /// The first `count` stages received on a stream.
  func warnings(_ stream: CollectedStream, _ count: Int) async throws -> [String] {
    try await stream.events(count).compactMap {
      $0.data["stage"] as? String
    }
  }

  /// A device raises an alert over the threshold.
  func raise() async throws -> Reply {
    let alert = """
      {"rule":"heartRateHigh","readings":[{"dataType":"heartRate","value":"150",\
      "timestamp":"\(clock.now)"}]}
      """
    return try await call(.raiseAlert, alert, by: Known.mario, .singleUser)
  }

  /// Raises an alert and returns its emergency.
  func alert() async throws -> String {
    let raised = try await raise()
    #expect(raised.status == 200)
    return try #require(raised["episodeID"])
  }

  /// The event in the sequence later is the same message.
  fileprivate func expectSameMessage(
    _ call: CallbackReceiver.Call, _ endpoint: CallbackReceiver
  ) async throws {
    try await here { [self] in
      _ = try await hospitalCallbacks.value.claim()
      await hospitalCallbacks.value.settle()
    }
    let calls = try await endpoint.calls(2)
    #expect(calls.map(\.id) == [call.id, call.id])
    #expect(calls[1].data?["calledAt"] as? String == call.data?["calledAt"] as? String)
  }
}
