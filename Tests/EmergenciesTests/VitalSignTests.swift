import Data4HelpFixture
import Domain
import Emergencies
import Foundation
import HTTP
import Operations
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Vital signs of an emergency")
struct VitalSignTests {
  @Test(
    "a call has the vital signs of the five minutes before it, and the history those to its end",
    .tags(.SOS_5, .SOS_8))
  func all() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      try await stage.upload([
        ("oxygenSaturation", "91", 301), ("oxygenSaturation", "96", 290),
        ("bodyTemperature", "36.5", 200), ("heartRate", "70", 100), ("weight", "80", 50),
        ("bloodGlucose", "90", 10),
      ])
      let emergency = try await stage.calledEmergency()
      let event = try #require(try await stage.notified(hospital: Known.clinic).first)
      let message = try #require(event["data"] as? [String: Any])
      #expect(Self.values(message) == ["96", "36.5", "70", "90", "131", "132"])
      #expect(Self.basis(message) == ["131", "132"])
      let cap = try #require(message["cap"] as? String)
      for value in ["96", "36.5", "70", "90", "131", "132"] {
        #expect(cap.contains(" \(value) "), "\(value) in \(cap)")
      }
      // It continues, and the hospital that reads its calls sees it.
      stage.clock.advance(seconds: 20)
      try await stage.measure("88", "oxygenSaturation")
      let calls = try await stage.call(.emergencyCalls, by: Known.clinic, .thirdParty)
      #expect(Self.values(try #require(calls.list("calls").first)).last == "88")
      let reported = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
      #expect(reported == 200)
      stage.clock.advance(seconds: 1)
      try await stage.measure("97", "oxygenSaturation")
      let expected = ["96", "36.5", "70", "90", "131", "132", "88"]
      #expect(Self.values(try await stage.emergencies()[0]) == expected)
      // A minute after its end the record is complete.
      #expect(try await stage.completeRecords() == 0)
      stage.clock.advance(seconds: 60)
      #expect(try await stage.completeRecords() == 1)
      #expect(try await stage.completeRecords() == 0)
      try stage.run("DELETE FROM data4help.chunks")
      #expect(Self.values(try await stage.emergencies()[0]) == expected)
    }
  }

  @Test(
    "readings received by another replica are part of the call once they are stored", .tags(.SOS_5))
  func otherReplica() async throws {
    try await SingleRequestStage.with { first in
      try await first.populateEmergencies()
      try await first.hospital(Known.clinic, at: "45.46,9.19")
      try await SingleRequestStage.replica(of: first.installation) { second in
        try await second.follow()
        try await second.upload([("oxygenSaturation", "89", 30)])
      }
      _ = try await first.calledEmergency()
      let event = try #require(try await first.notified(hospital: Known.clinic).first)
      let message = try #require(event["data"] as? [String: Any])
      #expect(Self.values(message) == ["89", "131", "132"])
    }
  }

  @Test("of a disabled type only the readings that raised the emergency are shown", .tags(.SOS_5))
  func switchedOff() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      let off = "{\"types\":[\"heartRate\",\"bodyTemperature\"],\"enabled\":[false,false]}"
      let chosen = try await stage.call(.chooseImportedTypes, off, by: Known.mario, .singleUser)
      #expect(chosen.status == 200, "\(chosen.text)")
      try await stage.upload([
        ("heartRate", "70", 100), ("bodyTemperature", "36.5", 90), ("oxygenSaturation", "95", 80),
      ])
      _ = try await stage.calledEmergency()
      let event = try #require(try await stage.notified(hospital: Known.clinic).first)
      let message = try #require(event["data"] as? [String: Any])
      #expect(Self.values(message) == ["95", "131", "132"])
    }
  }

  @Test("of too many readings the highest and the lowest are kept", .tags(.SOS_5))
  func thinned() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      try await stage.upload(
        (0..<2_000).map { number in
          let value = number == 777 ? "119" : number == 1_234 ? "46" : "\(80 + number % 7)"
          return ("heartRate", value, 290 - Double(number) * 0.14)
        })
      _ = try await stage.calledEmergency()
      let event = try #require(try await stage.notified(hospital: Known.clinic).first)
      let message = try #require(event["data"] as? [String: Any])
      let values = Self.values(message)
      #expect(values.count <= 300 && values.count > 100, "\(values.count) readings")
      #expect(values.contains("119") && values.contains("46"))
      #expect(Self.basis(message) == ["131", "132"])
    }
  }

  @Test("a first reading is judged by a replica that has not read the enabling yet", .tags(.NFR_4))
  func enabledJustNow() async throws {
    try await SingleRequestStage.with { first in
      try await first.populate()
      try await SingleRequestStage.replica(of: first.installation) { second in
        try await first.enable()
        let body = """
          {"dataTypes":["heartRate"],"values":["131"],"timestamp":["\(second.clock.now)"]}
          """
        // Without the gateway's field there is no lookup.
        let unsaid = try await second.call(.upload, body, by: Known.mario, .singleUser)
        #expect(unsaid.fields[.internalWatched] == "0")
        let said = try await second.call(
          .upload, body, by: Known.mario, .singleUser, fields: [("x-trackme-watched", "1")])
        #expect(said.status == 200)
        #expect(said.fields[.internalWatched] == "1")
        #expect(try await second.stages(1) == ["suspected"])
      }
    }
  }

  @Test(
    "a record that can't be completed is retried, and finally left unchanged", .tags(.SOS_8))
  func retried() async throws {
    let recorder = LogRecorder()
    let log = Log(process: "test", sink: recorder.sink)
    try await SingleRequestStage.with(log: log) { stage in
      try await stage.populateEmergencies()
      let emergency = try await stage.calledEmergency()
      let reported = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
      #expect(reported == 200)
      stage.clock.advance(seconds: 60)
      @Sendable func isComplete() throws -> Bool {
        try stage.cell("SELECT bool_and(has_all_readings)::text FROM data4help.emergencies")
          == "true"
      }
      @Sendable func damage() throws {
        try stage.run("UPDATE data4help.emergencies SET sealed_details = sealed_details || '0'")
      }
      @Sendable func repair() throws {
        try stage.run(
          """
          UPDATE data4help.emergencies
             SET sealed_details = substring(sealed_details FOR length(sealed_details) - 1)
          """)
      }
      try damage()
      try await stage.here {
        let records = stage.sos.records()
        #expect(try await records.turn() == 0)
        // The record is retried after a pause.
        try repair()
        #expect(try await records.turn() == 0)
        #expect(try !isComplete())
        stage.clock.advance(seconds: 15)
        #expect(try await records.turn() == 1)
        #expect(try isComplete())

        try stage.run("UPDATE data4help.emergencies SET has_all_readings = false")
        try damage()
        for _ in 1...7 {
          _ = try await records.turn()
          #expect(try !isComplete())
          stage.clock.advance(seconds: 3600)
        }
        #expect(try await records.turn() == 0)
        #expect(try isComplete())
      }
      let failures = recorder.lines.filter { $0.contains("complete record of emergency failed") }
      #expect(failures.count == 9, "\(failures)")
      #expect(failures.last?.contains("for good") == true)
    }
  }

  private static func values(_ message: [String: Any]) -> [String] {
    (message["readings"] as? [[String: Any]])?.compactMap { $0["value"] as? String } ?? []
  }

  private static func basis(_ message: [String: Any]) -> [String] {
    let readings = message["readings"] as? [[String: Any]] ?? []
    return readings.filter { $0["basis"] as? Bool == true }.compactMap { $0["value"] as? String }
  }
}

extension SingleRequestStage {
  /// Completes the records of finished emergencies; returns their number.
  fileprivate func completeRecords() async throws -> Int {
    try await here { [self] in try await sos.records().turn() }
  }
}
