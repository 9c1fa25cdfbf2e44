import Data4HelpFixture
import Domain
import PublicAPI
import Testing

@Suite("Statements of the history of emergencies")
struct HistoryStatementTests {
  @Test(
    "a page of the history takes two statements, six with calls, and one for each open record")
  func counted() async throws {
    try await SingleRequestStage.with { first in
      try await first.populateEmergencies()
      try await first.hospital(Known.clinic, at: "45.46,9.19")
      let log = try StatementLog(of: first.installation.data, role: "data4help")
      // A replica with new connections, so that they are logged.
      try await SingleRequestStage.replica(of: first.installation) { stage in
        let none = try await Self.statements(of: stage, log, emergencies: 0)
        #expect(none.count == 1, "\(none)")
        try await Self.confirmedEmergency(first, number: 1)
        try stage.run("UPDATE data4help.emergencies SET has_all_readings = true")
        let uncalled = try await Self.statements(of: stage, log, emergencies: 1)
        #expect(uncalled.count == 2, "\(uncalled)")
        try await Self.callAndEnd(first, number: 1)
        try stage.run("UPDATE data4help.emergencies SET has_all_readings = true")
        let one = try await Self.statements(of: stage, log, emergencies: 1)
        #expect(one.count == 6, "\(one)")
        // The rule is quiet for ten minutes.
        first.clock.advance(seconds: 660)
        try await Self.confirmedEmergency(first, number: 2)
        try await Self.callAndEnd(first, number: 2)
        try stage.run("UPDATE data4help.emergencies SET has_all_readings = true")
        #expect(try await Self.statements(of: stage, log, emergencies: 2) == one)
        try stage.run("UPDATE data4help.emergencies SET has_all_readings = false")
        let incomplete = try await Self.statements(of: stage, log, emergencies: 2)
        #expect(incomplete.count == 8, "\(incomplete)")
      }
    }
  }

  /// The fewest statements of several calls: the first calls open connections.
  private static func statements(
    of stage: SingleRequestStage, _ log: StatementLog, emergencies count: Int
  ) async throws -> [String] {
    var fewest: [String] = []
    for round in 0..<5 {
      let start = try log.length()
      #expect(try await stage.emergencies().count == count)
      let statements = try log.statements(from: start)
      if round == 0 || statements.count < fewest.count { fewest = statements }
    }
    return fewest
  }

  /// An emergency of Mario's in its window, before any call.
  private static func confirmedEmergency(_ stage: SingleRequestStage, number: Int) async throws {
    let notified = (number - 1) * 4
    try await stage.measure("131")
    _ = try await stage.stages(notified + 1)
    stage.clock.advance(seconds: 3)
    try await stage.measure("132")
    _ = try await stage.stages(notified + 2)
  }

  /// Calls the hospital for it, and ends it as a false alarm.
  private static func callAndEnd(_ stage: SingleRequestStage, number: Int) async throws {
    stage.clock.advance(seconds: 2)
    try await stage.turn()
    let emergency = try #require(try await stage.emergencies()[0]["episodeID"] as? String)
    #expect(try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser) == 200)
    try await stage.follow()
    _ = try await stage.stages(number * 4)
  }
}
