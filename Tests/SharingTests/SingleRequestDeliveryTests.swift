import Data4HelpFixture
import Domain
import HealthRecords
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Support
import Testing
import Time

@Suite("Delivering data")
struct SingleRequestDeliveryTests {
  @Test("data stored at acceptance is delivered, in the accepted types", .tags(.R14, .R23))
  func fixedSet() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3, of: .steps)
      try await stage.store(4)
      try await stage.store(2, for: Known.laura)
      let requestID = try await stage.ask("\"heartRate\",\"weight\"")
      #expect(try await stage.data(requestID).status == 409)
      _ = try await stage.choose("accept", requestID)
      try await stage.store(5, minutesAgo: 1_000)
      _ = try await stage.workers.relay()
      let page = try await stage.data(requestID)
      #expect(page["reqID"] == requestID)
      #expect(page["next"] == nil)
      let samples = page.list("samples")
      #expect(samples.map { $0["value"] as? Int } == [60, 61, 62, 63])
      #expect(samples.map { $0["timestamp"] as? String }.last == "2026-11-18T11:50:00Z")
      #expect(samples.allSatisfy { $0["dataType"] as? String == "heartRate" })
      #expect(samples.allSatisfy { $0["unit"] as? String == "BPM" })
      #expect(page.numbers == page.numbers.sorted())
      #expect(try await stage.data(requestID, by: Known.studio).status == 404)
      let unknown = try await stage.data("123e4567-e89b-12d3-a456-426614174000")
      #expect(unknown.status == 404)
    }
  }

  @Test("erased samples are missing, and the others keep their numbers", .tags(.DAT_7))
  func erased() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      try await stage.store(2, of: .steps)
      let requestID = try await stage.ask("\"heartRate\",\"steps\"")
      _ = try await stage.choose("accept", requestID)
      let before = try await stage.data(requestID).numbers
      try stage.run("DELETE FROM data4help.chunks WHERE type = 2")
      let after = try await stage.data(requestID).numbers
      #expect(before == [1, 2, 3, 4])
      #expect(after == [3, 4])
    }
  }

  @Test("deleted data leaves the sequence, new data enters it", .tags(.DAT_7, .R14))
  func erasedByUser() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(4)
      let fixed = try await stage.ask("\"heartRate\"")
      _ = try await stage.choose("accept", fixed)
      let live = try await stage.ask("\"heartRate\"", ",\"subscribing\":true,\"duration\":3600")
      _ = try await stage.choose("accept", live)
      #expect(try await stage.data(fixed).numbers.count == 4)
      #expect(try await stage.data(live).numbers.count == 4)
      let period = "type=heartRate&to=2026-11-18T11:49:00Z"
      let erased = try await stage.call(
        .eraseSamples, query: period, by: Known.mario, .singleUser)
      #expect(erased.text.contains("\"deleted\":2,"))
      try await stage.store(1, minutesAgo: 1)
      _ = try await stage.workers.relay()
      let left = try await stage.data(fixed).list("samples")
      #expect(left.map { $0["value"] as? Int } == [62, 63])
      #expect(try await stage.data(live).list("samples").count == 3)
      _ = try await stage.call(.eraseSamples, by: Known.mario, .singleUser)
      #expect(try await stage.data(fixed).numbers == [])
      #expect(try await stage.data(live).numbers == [])
    }
  }

  @Test("a type disabled during a subscription delivers no new data", .tags(.R23))
  func switchedOffLater() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      try await stage.store(2, of: .steps)
      let live = try await stage.subscribe("\"heartRate\",\"steps\"")
      _ = try await stage.choose("accept", live)
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = \(1 << 11)")
      let outcome = try await stage.store(3, of: .steps, minutesAgo: 1)
      #expect((outcome.stored, outcome.disabled) == (0, 3))
      try await stage.store(1, minutesAgo: 1)
      _ = try await stage.workers.relay()
      let types = try await stage.data(live).list("samples").map { $0["dataType"] as? String }
      #expect(types.count { $0 == "steps" } == 2)
      #expect(types.count { $0 == "heartRate" } == 3)
    }
  }

  @Test("only the observation period is delivered", .tags(.REQ_6, .R14))
  func period() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(10, minutesAgo: 0)
      let requestID = try await stage.ask(
        "\"heartRate\"",
        """
        ,"subscribing":false,"from":"2026-11-18T11:53:00Z","to":"2026-11-18T11:56:00Z"
        """)
      _ = try await stage.choose("accept", requestID)
      let times = try await stage.data(requestID).list("samples").map { $0["timestamp"] as? String }
      #expect(
        times == ["2026-11-18T11:53:00Z", "2026-11-18T11:54:00Z", "2026-11-18T11:55:00Z"])
    }
  }

  @Test("a type disabled at acceptance is not delivered", .tags(.R23))
  func switchedOff() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      try await stage.store(2, of: .steps)
      let requestID = try await stage.ask("\"heartRate\",\"steps\"")
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = 4")
      _ = try await stage.choose("accept", requestID)
      let types = try await stage.data(requestID).list("samples").map { $0["dataType"] as? String }
      #expect(types == ["steps", "steps"])
    }
  }

  @Test("a page has at most 10000 samples, and the next one continues", .tags(.R24))
  func pages() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(10_000, minutesAgo: 20_000)
      let exact = try await stage.ask()
      _ = try await stage.choose("accept", exact)
      let whole = try await stage.data(exact)
      #expect(whole.numbers == Array(1...10_000))
      #expect(whole["next"] == nil)
      try await stage.store(1)
      let more = try await stage.ask()
      _ = try await stage.choose("accept", more)
      let first = try await stage.data(more)
      // The answer to the first request follows the 10,000.
      #expect(first.numbers == Array(10_002...20_001))
      let last = try await stage.data(more, cursor: try first.next)
      #expect(last.numbers == [20_002])
      #expect(last["next"] == nil)
      // A cursor belongs to its request.
      #expect(try await stage.data(exact, cursor: first["next"]).status == 400)
      let file = try await stage.data(more, format: "csv")
      let rows = file.text.split(separator: "\r\n")
      #expect(rows.count == 10_002)
      #expect(rows.last == "20002,heartRate,60,BPM,2026-11-18T11:50:00Z,")
      #expect(!file.isCut)
    }
  }

  @Test("a subscriber keeps reading new data, under growing numbers", .tags(.R19, .REQ_2))
  func subscription() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      let other = try await stage.subscribe("\"heartRate\"", by: Known.studio)
      _ = try await stage.choose("accept", other)
      var page = try await stage.data(requestID)
      #expect(page.numbers == [1, 2])
      page = try await stage.data(requestID, cursor: try page.next)
      #expect(page.numbers == [])
      for count in 1...3 {
        try await stage.store(count, minutesAgo: Int64(-count), value: Double(60 + 10 * count))
        #expect(try await stage.workers.relay() == 2)
        #expect(try await stage.workers.relay() == 0)
        page = try await stage.data(requestID, cursor: try page.next)
        #expect(page.numbers.count == count)
      }
      // The third number is that of the answer.
      let numbers = [1, 2, 4, 5, 6, 7, 8, 9]
      #expect(try await stage.data(requestID).numbers == numbers)
      #expect(try await stage.data(other, by: Known.studio).numbers == numbers)
    }
  }

  @Test("the relay is notified only of samples of people with subscribers", .tags(.REQ_2))
  func relayWakeUp() async throws {
    try await SingleRequestStage.with { stage in
      let wakeUp = stage.parts.relayWakeUp
      try await stage.populate()
      try await stage.store(2)
      #expect(wakeUp.consume().isEmpty)
      let requestID = try await stage.subscribe()
      try await stage.store(1, minutesAgo: 5)
      #expect(wakeUp.consume().isEmpty)
      _ = try await stage.choose("accept", requestID)
      _ = wakeUp.consume()
      try await stage.store(1, minutesAgo: 4)
      #expect(wakeUp.consume() == [Known.mario])
      try await stage.store(1, for: Known.laura)
      #expect(wakeUp.consume().isEmpty)
    }
  }

  @Test("an expired subscription keeps the data that had entered it", .tags(.R20, .R21))
  func naturalEnd() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.subscribe("\"heartRate\"", seconds: 600)
      _ = try await stage.choose("accept", requestID)
      stage.clock.advance(seconds: 599)
      try await stage.store(1, minutesAgo: 1, value: 99)
      #expect(try await stage.workers.relay() == 1)
      #expect(try await stage.status(requestID) == "accepted")
      stage.clock.advance(seconds: 1)
      #expect(try await stage.status(requestID) == "ended")
      #expect(try await stage.workers.relay() == 1)
      try await stage.store(1, minutesAgo: 0, value: 98)
      #expect(try await stage.workers.relay() == 0)
      let page = try await stage.data(requestID)
      #expect(page.numbers == [1, 2, 4])
      #expect(page["next"] == nil)
      #expect(try await stage.endByPerson(requestID).status == 409)
      #expect(try await stage.data(requestID).status == 200)
    }
  }

  @Test("after ending a request the third party keeps the data that had entered", .tags(.R21))
  func endByCompany() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.endByCompany(requestID).status == 200)
      try await stage.store(1, minutesAgo: -1)
      #expect(try await stage.workers.relay() == 0)
      let page = try await stage.data(requestID)
      #expect(page.numbers == [1, 2])
      #expect(page["next"] == nil)
    }
  }

  @Test("after the user's end no data is delivered", .tags(.R21))
  func endByPerson() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      for isSubscribing in [true, false] {
        let requestID =
          isSubscribing ? try await stage.subscribe() : try await stage.ask()
        _ = try await stage.choose("accept", requestID)
        #expect(try await stage.data(requestID).numbers.count == 2)
        #expect(try await stage.endByPerson(requestID).status == 200)
        let refused = try await stage.data(requestID)
        #expect(refused.status == 409)
        #expect(refused["error"] == "Wrong state")
        #expect(try await stage.data(requestID, format: "csv").status == 409)
      }
      #expect(try await stage.workers.relay() == 0)
    }
  }

  @Test("a text that a spreadsheet would read as a formula is escaped", .tags(.R24))
  func formulas() {
    func field(_ text: String) -> String {
      var bytes: [UInt8] = []
      CSVField.append(text, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(field("=1+1") == "'=1+1")
    #expect(field("+39") == "'+39")
    #expect(field("-33.9,18.4") == "\"'-33.9,18.4\"")
    #expect(field("@a") == "'@a")
    #expect(field("a=1") == "a=1")
    #expect(field("a,\"b\"") == "\"a,\"\"b\"\"\"")
    #expect(field("") == "")
  }

  @Test("positions and codes are text, numbers stay numbers", .tags(.R24))
  func kinds() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let time = stage.clock.now.adding(seconds: -60)
      let values: [(DataType, SampleValue)] = [
        (.position, try SampleValue("-33.9,18.4", of: .position)),
        (.bodyTemperature, try SampleValue(36.6, of: .bodyTemperature)),
        (.ecg, try SampleValue("atrial fibrillation", of: .ecg)),
      ]
      for (type, value) in values {
        let sample = NewSample(type: type, time: time, device: 3, value: value)
        _ = try await stage.samples.append([sample], to: Known.mario)
      }
      let requestID = try await stage.ask("\"position\",\"bodyTemperature\",\"ecg\"")
      _ = try await stage.choose("accept", requestID)
      let samples = try await stage.data(requestID).list("samples")
      #expect(samples[0]["value"] as? String == "-33.9,18.4")
      #expect(samples[1]["value"] as? Double == 36.6)
      #expect(samples[2]["value"] as? String == "atrial fibrillation")
      #expect(samples[0]["device"] as? String == "3")
      let file = try await stage.data(requestID, format: "csv").text
      #expect(
        file == """
          seq,dataType,value,unit,timestamp,device\r
          1,position,"'-33.9,18.4","lat,lon",2026-11-18T11:59:00Z,3\r
          2,bodyTemperature,36.6,°C,2026-11-18T11:59:00Z,3\r
          3,ecg,atrial fibrillation,code,2026-11-18T11:59:00Z,3\r

          """)
    }
  }
}
