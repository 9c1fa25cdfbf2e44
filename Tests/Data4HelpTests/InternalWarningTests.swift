import Data4HelpFixture
import Domain
import HealthRecords
import InternalAPI
import JSON
import Requirements
import Support
import Testing
import Time

@Suite("Warnings for runners")
struct InternalWarningTests {
  @Test("without a device or a position of the last days, joining warns", .tags(.RUN_14))
  func position() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      #expect(try await stage.warnings(of: Known.mario) == [.noPosition])
      try await stage.storePosition(of: Known.mario)
      #expect(try await stage.warnings(of: Known.mario) == [])
      // The days count from the sixth before today.
      stage.clock.advance(seconds: 6 * 86_400)
      #expect(try await stage.warnings(of: Known.mario) == [])
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.warnings(of: Known.mario) == [.noPosition])
      try stage.run(
        """
        INSERT INTO data4help.devices (account_id, number, types, sealed_description, paired_at)
        VALUES (11, 1, \(1 << Int(DataType.position.rawValue)), '', now())
        """)
      #expect(try await stage.warnings(of: Known.mario) == [])
      try stage.run("UPDATE data4help.devices SET sealed_description = NULL")
      #expect(try await stage.warnings(of: Known.mario) == [.noPosition])
    }
  }

  @Test("a disabled or paused position counts as missing", .tags(.RUN_14))
  func notTaken() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.storePosition(of: Known.mario)
      let bit = 1 << Int(DataType.position.rawValue)
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = \(bit)")
      #expect(try await stage.warnings(of: Known.mario) == [.noPosition])
      try stage.run(
        "UPDATE data4help.sample_accounts SET disabled_types = 0, paused_until = 'infinity'")
      #expect(try await stage.warnings(of: Known.mario) == [.noPosition])
    }
  }

  @Test("the mean of the last days suggests a doctor, old values do not", .tags(.RUN_14))
  func health() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.storePosition(of: Known.mario)
      let now = stage.clock.now
      func store(_ pressure: Double, daysAgo days: Int64) async throws {
        let time = now.adding(seconds: -days * 86_400)
        _ = try await stage.samples.append(
          [NewSample(type: .bloodPressureSystolic, time: time, value: .number(pressure))],
          to: Known.mario)
      }
      try await store(180, daysAgo: 8)
      #expect(try await stage.warnings(of: Known.mario) == [])
      try await store(130, daysAgo: 2)
      #expect(try await stage.warnings(of: Known.mario) == [])
      try await store(150, daysAgo: 1)
      #expect(try await stage.warnings(of: Known.mario) == [.askDoctor])
      #expect(try await stage.warnings(of: Known.laura) == [.noPosition])
    }
  }

  @Test("a company and an unknown account have no warnings")
  func others() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      #expect(try await stage.warnings(of: Known.clinic) == [])
      #expect(try await stage.warnings(of: AccountID(rawValue: 99)) == [])
    }
  }
}

extension SingleRequestStage {
  fileprivate func warnings(of account: AccountID) async throws -> [RunWarning] {
    let reply = try await callInternally(InternalPath.warnings, json(RunnerQuestion(account)))
    #expect(reply.status == 200)
    return try JSONReader.read(RunnerWarnings.self, from: Array(reply.text.utf8)).warnings
  }
}
