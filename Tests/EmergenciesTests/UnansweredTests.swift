import Data4HelpFixture
import Domain
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Emergencies that a day of calls has left without an answer", .tags(.SOS_5))
struct UnansweredTests {
  private static let day: Int64 = 86_400

  @Test(
    "a hospital that is being deleted is locked before the emergency that it was called for",
    .tags(.ACC_8))
  func lockOrder() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      _ = try await stage.calledEmergency()
      stage.clock.advance(seconds: Self.day + 1)
      // As a deletion, which begins with its account.
      let deletion = try stage.installation.data.session()
      try deletion.run(
        "BEGIN; SELECT FROM data4help.accounts WHERE account_id = \(Known.studio) FOR UPDATE")
      async let moved = stage.turn()
      try await stage.untilLockIsAwaited()
      // The deletion continues with the calls of the account, and would wait for the emergency.
      try deletion.run("SELECT FROM data4help.emergencies FOR UPDATE NOWAIT; COMMIT")
      #expect(try await moved == 1)
      #expect(try await stage.emergencies()[0]["stage"] as? String == "unanswered")
      let events = try await stage.notified(hospital: Known.studio)
      #expect(events.map { $0["type"] as? String } == ["sos.called", "sos.closed"])
    }
  }

  @Test(
    "a called hospital is locked before an emergency that continued offline is stored",
    .tags(.ACC_8))
  func lockOrderOffline() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.prepareOfflinePhase(endpoint)
        let emergency = try await stage.confirmedEmergency()
        try await stage.follow()
        try await stage.loseDatabases()
        #expect(
          try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser) == 200)
        try await stage.setUnavailable(false)
        // Another replica has called the hospital, which is notified of the false alarm.
        try await SingleRequestStage.replica(of: stage.installation) { other in
          other.clock.advance(seconds: 60)
          let moved = try await other.turn()
          #expect(moved == 1)
        }
        let deletion = try stage.installation.data.session()
        try deletion.run(
          "BEGIN; SELECT FROM data4help.accounts WHERE account_id = \(Known.studio) FOR UPDATE")
        async let stored: Void = stage.regainDatabases()
        try await stage.untilLockIsAwaited()
        try deletion.run("SELECT FROM data4help.emergencies FOR UPDATE NOWAIT; COMMIT")
        try await stored
        try await stage.catchUp()
        #expect(try await stage.emergencies()[0]["stage"] as? String == "false alarm")
      }
    }
  }

  @Test(
    "without the database calls end after a day too, and the called hospital is notified",
    .tags(.NFR_4, .SOS_7))
  func offline() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.prepareOfflinePhase(endpoint)
        let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
        try await stage.loseDatabases()
        _ = try await stage.alert()
        // Asked, confirmed, and the call of the hospital.
        for seconds: Int64 in [30, 5, 0] {
          stage.clock.advance(seconds: seconds)
          try await stage.advanceOffline()
        }
        #expect(try await endpoint.calls(1).count == 1)
        stage.clock.advance(seconds: Self.day)
        try await stage.advanceOffline()
        #expect(try await stage.voiceCalls(1) == 1)
        stage.clock.advance(seconds: 30)
        try await stage.advanceOffline()
        #expect(
          try await stage.warnings(stream, 6)
            == ["suspected", "asked", "confirmed", "dispatched", "dispatched", "unanswered"])
        stream.close()
        stage.clock.advance(seconds: 300)
        try await stage.advanceOffline()
        #expect(stage.voice.calls.count == 1)
        try await stage.regainDatabases()
        try await stage.catchUp()
        let stored = try await stage.emergencies()
        #expect(stored.map { $0["stage"] as? String } == ["unanswered"])
        #expect(SingleRequestStage.calls(in: stored[0]).count == 2)
        let events = try await stage.notified(hospital: Known.studio)
        #expect(events.map { $0["type"] as? String } == ["sos.called", "sos.closed"])
        #expect(try await stage.turn() == 0)
      }
    }
  }
}
