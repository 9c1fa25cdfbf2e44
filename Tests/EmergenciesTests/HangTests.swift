import Bytes
import Data4HelpFixture
import Domain
import Emergencies
import EventLoop
import Foundation
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Testing

/// Makes the database hang on statements about emergencies, until `end`.
///
/// Meanwhile these replicas wait for it at most 300 ms.
private final class Hang {
  private let holder: AdminSession
  private let replicas: [SingleRequestStage]

  init(_ replicas: SingleRequestStage...) throws {
    self.replicas = replicas
    let database = try #require(replicas.first).installation.data
    holder = try AdminSession(url: database.cluster.url(database.name), applicationName: "hang")
    try holder.run(
      """
      BEGIN;
      LOCK TABLE data4help.accounts, data4help.monitored_users, data4help.emergencies
        IN ACCESS EXCLUSIVE MODE
      """)
    for replica in replicas { replica.storing.max = .milliseconds(300) }
  }

  func end() throws {
    try holder.run("ROLLBACK")
    for replica in replicas { replica.storing.max = .seconds(60) }
  }
}

@Suite("Emergencies while the database hangs", .tags(.NFR_4))
struct HangTests {
  private func with(
    _ body: @escaping @Sendable (SingleRequestStage, CallbackReceiver) async throws -> Void
  ) async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.prepareOfflinePhase(endpoint)
        try await body(stage, endpoint)
      }
    }
  }

  /// Stores the offline emergencies, and returns the history.
  private func stored(_ stage: SingleRequestStage) async throws -> [[String: Any]] {
    try await stage.regainDatabases()
    try await stage.catchUp()
    return try await stage.emergencies()
  }

  @Test(
    "an alert is answered and the person warned from memory; an abort prevents the call",
    .tags(.SOS_2, .SOS_4))
  func aborted() async throws {
    try await with { stage, endpoint in
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      let hang = try Hang(stage)
      let raised = try await stage.raise()
      #expect((raised.status, raised["stage"]) == (200, "suspected"))
      let emergency = try #require(raised["episodeID"])
      #expect(try await stage.warnings(stream, 1) == ["suspected"])
      #expect(stage.journal.records.isEmpty)
      #expect(
        try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser) == 200)
      #expect(try await stage.warnings(stream, 2) == ["suspected", "aborted"])
      #expect(stage.journal.records.map(\.id.description) == [emergency])
      #expect(
        try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser) == 409)
      stage.clock.advance(seconds: 40)
      try await stage.advanceOffline()
      try hang.end()
      let history = try await stored(stage)
      #expect(history.map { $0["stage"] as? String } == ["aborted"])
      #expect((history[0]["readings"] as? [Any])?.count == 2)
      #expect(endpoint.calls.isEmpty && stage.voice.calls.isEmpty)
      try await eventually("an empty journal", within: .seconds(120)) {
        stage.journal.records.isEmpty
      }
      stream.close()
    }
  }

  @Test(
    "a stored emergency is aborted from memory, at any replica", .tags(.SOS_4),
    arguments: [false, true])
  func abortOfStored(_ isElsewhere: Bool) async throws {
    try await with { stage, endpoint in
      let emergency = try await stage.confirmedEmergency()
      try await stage.follow()
      try await SingleRequestStage.replica(of: stage.installation) { other in
        try await other.follow()
        other.clock.advance(seconds: 4)
        let replica = isElsewhere ? other : stage
        let hang = try Hang(stage, other)
        let stranger = try await replica.act(
          .abortEmergency, emergency, by: Known.laura, .singleUser)
        #expect(stranger == 503)
        let status = try await replica.act(
          .abortEmergency, emergency, by: Known.mario, .singleUser)
        #expect(status == 200)
        replica.clock.advance(seconds: 40)
        try hang.end()
        let history = try await stored(replica)
        #expect(history.map { $0["stage"] as? String } == ["aborted"])
        // The other replica's knowledge of it is not lost.
        #expect((history[0]["readings"] as? [Any])?.count == 3)
        #expect(try await replica.turn() == 0)
        #expect(endpoint.calls.isEmpty && other.voice.calls.isEmpty)
      }
    }
  }

  @Test(
    "a new process applies the aborts that an ended one acknowledged before it calls",
    .tags(.SOS_4), arguments: [false, true])
  func restarted(_ isStored: Bool) async throws {
    try await with { stage, endpoint in
      let early = isStored ? try await stage.confirmedEmergency() : nil
      if isStored { try await stage.follow() }
      let hang = try Hang(stage)
      let emergency = if let early { early } else { try await stage.alert() }
      #expect(
        try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser) == 200)
      stage.journal.close()
      try hang.end()
      try await SingleRequestStage.replica(of: stage.installation) { next in
        try await next.follow()
        next.clock.advance(seconds: 60)
        try await next.here { await next.sosOffline.value.restore() }
        #expect(try await next.turn() == 0)
        let history = try await stored(next)
        #expect(history.map { $0["stage"] as? String } == ["aborted"])
        #expect(history[0]["episodeID"] as? String == emergency)
        #expect((history[0]["readings"] as? [Any])?.count == (isStored ? 3 : 1))
        // Its rule is as quiet as after any abort.
        let again = try await next.raise()
        #expect((again["episodeID"], again["stage"]) == (emergency, "aborted"))
        #expect(endpoint.calls.isEmpty && next.voice.calls.isEmpty)
        try await eventually("an empty journal", within: .seconds(120)) {
          next.journal.records.isEmpty
        }
      }
    }
  }

  @Test(
    "an abort that can't be written is effective, but an error, and can be repeated",
    .tags(.SOS_4))
  func fullDisk() async throws {
    try await with { stage, endpoint in
      let directory = stage.installation.aborts
      try "".write(toFile: directory, atomically: false, encoding: .utf8)
      let hang = try Hang(stage)
      let emergency = try await stage.alert()
      let refused = try await stage.call(
        .abortEmergency, "{\"episodeID\":\"\(emergency)\"}", by: Known.mario, .singleUser)
      #expect(refused.status == 503)
      #expect(refused["detail"]?.contains("can't be written to disk") == true)
      stage.clock.advance(seconds: 40)
      try await stage.advanceOffline()
      #expect(endpoint.calls.isEmpty && stage.voice.calls.isEmpty)
      try FileManager.default.removeItem(atPath: directory)
      for expected in [200, 409] {
        let status = try await stage.act(
          .abortEmergency, emergency, by: Known.mario, .singleUser)
        #expect(status == expected)
      }
      #expect(stage.journal.records.count == 1)
      try hang.end()
      #expect(try await stored(stage).map { $0["stage"] as? String } == ["aborted"])
    }
  }

  @Test("an alert while help is on its way is answered from memory", .tags(.SOS_7))
  func known() async throws {
    try await with { stage, _ in
      let emergency = try await stage.calledEmergency()
      try await stage.follow()
      let hang = try Hang(stage)
      let raised = try await stage.raise()
      #expect(
        (raised.status, raised["episodeID"], raised["stage"]) == (200, emergency, "dispatched"))
      let late = try await stage.act(.abortEmergency, emergency, by: Known.mario, .singleUser)
      #expect(late == 409)
      try hang.end()
    }
  }
}
