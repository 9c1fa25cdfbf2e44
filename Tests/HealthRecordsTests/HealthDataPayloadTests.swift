import Data4HelpFixture
import Domain
import HealthRecords
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Bodies of uploads")
struct HealthDataPayloadTests {
  private static let mistaken: [(body: String, field: String)] = [
    (
      #"{"dataTypes":["steps"],"values":["1"],"timestamp":["2026-03-15T11:05:00.001Z"]}"#,
      "timestamp[0]"
    ),
    (
      #"{"dataTypes":["steps"],"values":["1"],"timestamp":["1899-12-31T23:59:59Z"]}"#,
      "timestamp[0]"
    ),
    (
      #"{"dataTypes":["steps"],"values":["1"],"timestamp":["2026-03-15T11:00:00"]}"#,
      "timestamp[0]"
    ),
    (
      #"{"dataTypes":["heartRate"],"values":[-1],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "values[0]"
    ),
    (
      #"{"dataTypes":["heartRate"],"values":["x"],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "values[0]"
    ),
    (
      #"{"dataTypes":["heartRate"],"values":[null],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "values[0]"
    ),
    (
      #"{"dataTypes":["hearts"],"values":[60],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "dataTypes[0]"
    ),
    (
      #"{"dataTypes":["steps"],"values":[1,2],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "values[1]"
    ),
    (
      #"{"values":[1,2],"dataTypes":["steps"],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "values[1]"
    ),
    (#"{"values":[1,"x"],"dataTypes":["steps","steps"],"timestamp":[]}"#, "values[1]"),
    (
      #"{"dataTypes":["steps","steps"],"values":[1],"timestamp":["2026-03-15T11:00:00Z"]}"#,
      "values"
    ),
    (#"{"dataTypes":["steps"],"values":[1],"timestamp":[]}"#, "timestamp"),
    (#"{"dataTypes":[],"values":[],"timestamp":[]}"#, "dataTypes"),
    (#"{"values":[1],"timestamp":["2026-03-15T11:00:00Z"]}"#, "dataTypes"),
    (#"{"dataTypes":["steps"],"timestamp":["2026-03-15T11:00:00Z"]}"#, "values"),
    (#"{"dataTypes":["steps"],"values":[1]}"#, "timestamp"),
    (
      #"{"dataTypes":["bloodPressureDiastolic","bloodPressureSystolic"],"values":[80,80],"#
        + #""timestamp":["2026-03-15T11:00:00Z","2026-03-15T11:00:00Z"]}"#, "values[1]"
    ),
  ]

  @Test("a mistake anywhere is 400 with its field, and no sample is stored", .tags(.DAT_2))
  func mistakes() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      for (body, field) in Self.mistaken {
        let answer = try await test.call(.upload, body: body, as: account)
        #expect(answer.status == 400, "\(body)")
        #expect(answer["field"] == field, "\(body)")
      }
      #expect(try test.value("SELECT count(*) FROM data4help.chunks") == "0")
    }
  }

  @Test("times from 1900 to five minutes ahead are accepted", .tags(.DAT_9))
  func limits() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let answer = try await test.upload(
        [
          ("heartRate", "20", "1900-01-01T00:00:00Z"),
          ("heartRate", "250", "2026-03-15T11:05:00Z"),
        ], as: account)
      #expect(answer.counts == [2, 0, 0, 0, 0])
    }
  }

  @Test("10,000 samples are accepted, 10,001 are not, and a mistake in the last is found")
  func size() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      func body(_ count: Int, last: String = "61") throws -> String {
        let samples = try heartRates(count, from: "2026-03-14T23:00:00Z")
        return HealthDataTest.body(
          samples.enumerated().map { index, sample in
            let value = index == count - 1 ? last : sample.value.text(of: .heartRate)
            return ("heartRate", value, sample.time.description)
          })
      }
      let wrong = try await test.call(.upload, body: try body(10_000, last: "251"), as: account)
      #expect(wrong["field"] == "values[9999]")
      let many = try await test.call(.upload, body: try body(10_001), as: account)
      #expect(many.status == 400)
      let right = try await test.call(.upload, body: try body(10_000), as: account)
      #expect(right.counts == [10_000, 0, 0, 0, 0])
      let again = try await test.call(.upload, body: try body(10_000), as: account)
      #expect(again.counts == [0, 10_000, 0, 0, 0])
      try await test.checkBooks(of: account)
    }
  }

  @Test("values may come before their types, and as numbers or strings")
  func order() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let body =
        #"{"values":[60,"\u0036\u0031"],"timestamp":["2026-03-15T10:00:00Z","#
        + #""2026-03-15T10:01:00Z"],"dataTypes":["heartRate","heartRate"],"more":{}}"#
      #expect(try await test.call(.upload, body: body, as: account).counts == [2, 0, 0, 0, 0])
      #expect(try await test.everything(of: account).map(\.sample.value.number) == [60, 61])
    }
  }
}
