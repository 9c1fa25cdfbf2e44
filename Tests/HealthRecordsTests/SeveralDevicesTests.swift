import Data4HelpFixture
import Domain
import HealthRecords
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Samples of several devices")
struct SeveralDevicesTests {
  private static func sample(
    _ type: DataType, _ value: Double, _ time: String, device: Int32
  ) throws -> NewSample {
    NewSample(
      type: type, time: try Instant(time), device: device,
      value: try SampleValue(value, of: type))
  }

  /// A phone (1) and a watch (2): in the first hour the watch counts more, in the second the phone,
  /// and in the third there is only the phone.
  private static func walks(_ type: DataType) throws -> [NewSample] {
    [
      try sample(type, 100, "2026-03-14T08:10:00Z", device: 1),
      try sample(type, 70, "2026-03-14T08:15:00Z", device: 2),
      try sample(type, 60, "2026-03-14T08:45:00Z", device: 2),
      try sample(type, 200, "2026-03-14T09:10:00Z", device: 1),
      try sample(type, 150, "2026-03-14T09:20:00Z", device: 2),
      try sample(type, 30, "2026-03-14T10:10:00Z", device: 1),
    ]
  }

  @Test("phone and watch are counted once in statistics and series", .tags(.R15, .R16))
  func countedOnce() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      for walk in try Self.walks(.steps) {
        _ = try await test.samples.upload([walk], to: account)
      }
      let stats = try await test.call(.statistics, "types=steps", as: account).list("dataTypes")[0]
      #expect(stats["count"] as? Int == 4)
      #expect(stats["mean"] as? Double == 90)
      let hours = try await test.call(.series, "type=steps&granularity=hour", as: account)
      #expect(hours.list("points").map { $0["count"] as? Int } == [2, 1, 1])
      #expect(hours.list("points").map { $0["mean"] as? Double } == [65, 200, 30])
      let day = try await test.call(.series, "type=steps&granularity=day", as: account)
      #expect(day.list("points").map { $0["count"] as? Int } == [4])
      let raw = try await test.call(.series, "type=steps", as: account)
      #expect(raw.list("points").count == 6)
      // Only the covered part of an hour is compared.
      let period = "from=2026-03-14T08:00:00Z&to=2026-03-14T08:30:00Z"
      let part = try await test.call(.statistics, "types=steps&\(period)", as: account)
      #expect(part.list("dataTypes")[0]["max"] as? Double == 100)
    }
  }

  @Test("types that are not cumulative count from every device", .tags(.R16))
  func others() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      _ = try await test.samples.append(try Self.walks(.heartRate), to: account)
      let stats = try await test.call(.statistics, as: account).list("dataTypes")[0]
      #expect(stats["count"] as? Int == 6)
    }
  }

  @Test("samples of one device count once in sums", .tags(.R15, .R16))
  func oneDevice() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let walks = try Self.walks(.steps).map {
        NewSample(type: .steps, time: $0.time, device: 7, value: $0.value)
      }
      _ = try await test.samples.append(walks, to: account)
      let stats = try await test.call(.statistics, as: account).list("dataTypes")[0]
      #expect(stats["count"] as? Int == 6)
      let day = try await test.call(.series, "type=steps&granularity=day", as: account)
      #expect(day.list("points").map { $0["count"] as? Int } == [6])
    }
  }
}
