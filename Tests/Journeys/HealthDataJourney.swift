import Requirements
import Testing

@Suite("Health data, through the gateway")
struct HealthDataJourney {
  @Test("samples are stored once, however often they are sent", .tags(.R6, .R7, .R9))
  func idempotent() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let samples: [(String, JSONValue)] = [
      ("2024-01-15T10:00:00Z", 71), ("2024-01-15T11:00:00+01:00", "72.5"),
    ]
    let first = try await user.upload("heartRate", samples)
    #expect(first.json.message == "Action successful")
    #expect((first.json.stored, first.json.duplicates) == (2, 0))
    let second = try await user.upload("heartRate", samples)
    #expect((second.json.stored, second.json.duplicates) == (0, 2))
    let stats = try await user.get("/data/stats")
    #expect(stats.json.dataTypes[0].countMember == 2)
    let other = try await system.singleUser()
    #expect(try await other.get("/data/stats").json.dataTypes.count == 0)
  }

  @Test("a batch with one invalid sample is rejected as a whole", .tags(.DAT_2))
  func allOrNothing() async throws {
    let user = try await TestSystem.shared().singleUser()
    let reply = try await user.post(
      "/data/upload",
      [
        "dataTypes": ["heartRate", "heartRate"], "values": [90, 9999],
        "timestamp": ["2024-01-15T10:00:00Z", "2024-01-15T11:00:00Z"],
      ])
    #expect(reply.outcome == .malformed)
    #expect(reply.field == "values[1]")
    #expect(try await user.get("/data/stats").json.dataTypes.count == 0)
  }

  @Test("a disabled type is not stored, and the response reports it", .tags(.DAT_1))
  func importedTypes() async throws {
    let user = try await TestSystem.shared().singleUser()
    let before = try await user.get("/settings/single/data")
    #expect(before.json.enabled.items.allSatisfy { $0 == true })
    let choice = try await user.post(
      "/settings/single/data", ["types": ["weight"], "enabled": [false]])
    #expect(choice.json == ["message": "Settings updated"])
    let reply = try await user.upload("weight", [("2024-01-15T10:00:00Z", 70)])
    #expect((reply.json.stored, reply.json.disabled) == (0, 1))
    let after = try await user.get("/settings/single/data")
    let place = try #require(after.json.types.texts.firstIndex(of: "weight"))
    #expect(after.json.enabled[place] == false)
  }

  @Test("statistics have every operator of the contract, over any timespan", .tags(.R16, .R17))
  func statistics() async throws {
    let user = try await TestSystem.shared().singleUser()
    try await user.upload(
      "heartRate",
      [
        ("2024-01-15T10:00:00Z", 60), ("2024-01-16T10:00:00Z", 70), ("2024-01-17T10:00:00Z", 80),
        ("2024-01-18T10:00:00Z", 90),
      ])
    let all = try await user.get("/data/stats?types=heartRate").json.dataTypes[0]
    #expect(all.parameter == "heartRate")
    #expect(all.date == 19740)
    #expect(all.countMember == 4)
    // Computed by hand: percentiles like PostgreSQL's percentile_cont, and the sample variance.
    let expected = [
      "mean": 75, "median": 75, "p5": 61.5, "p25": 67.5, "p75": 82.5, "p95": 88.5,
      "variance": 166.666_666_7, "stddev": 12.909_944_5, "stderr": 6.454_972_2, "min": 60,
      "max": 90,
    ]
    for (name, value) in expected {
      let given = try #require(all[name].number, "\(name) is missing")
      #expect(abs(given - value) < 1e-6, "\(name) is \(given)")
    }
    let days = "from=2024-01-16T10:00:00Z&to=2024-01-18T10:00:00Z"
    let part = try await user.get("/data/stats?types=heartRate&\(days)").json.dataTypes[0]
    #expect((part.countMember, part.min, part.max) == (2, 70, 80))
    let one = "from=2024-01-16T10:00:00Z&to=2024-01-16T10:00:01Z"
    let single = try await user.get("/data/stats?\(one)").json.dataTypes[0]
    #expect((single.countMember, single.variance, single.tooFew) == (1, .null, true))
  }

  @Test("a series has every granularity, in days of the time zone", .tags(.R15, .R17))
  func series() async throws {
    let user = try await TestSystem.shared().singleUser()
    // Around the 31st of March 2024, a day of 23 hours in Rome and the last day of its week and
    // month.
    try await user.upload(
      "heartRate",
      [
        ("2024-03-30T22:59:59Z", 50), ("2024-03-30T23:00:00Z", 60), ("2024-03-31T21:59:59Z", 70),
        ("2024-03-31T22:00:00Z", 90),
      ])
    let expected: [(String, [(String, Int, Double)])] = [
      (
        "hour",
        [
          ("2024-03-30T22:00:00Z", 1, 50), ("2024-03-30T23:00:00Z", 1, 60),
          ("2024-03-31T21:00:00Z", 1, 70), ("2024-03-31T22:00:00Z", 1, 90),
        ]
      ),
      (
        "day",
        [
          ("2024-03-29T23:00:00Z", 1, 50), ("2024-03-30T23:00:00Z", 2, 65),
          ("2024-03-31T22:00:00Z", 1, 90),
        ]
      ),
      ("week", [("2024-03-24T23:00:00Z", 3, 60), ("2024-03-31T22:00:00Z", 1, 90)]),
      ("month", [("2024-02-29T23:00:00Z", 3, 60), ("2024-03-31T22:00:00Z", 1, 90)]),
    ]
    for (granularity, points) in expected {
      let reply = try await user.get("/data/series?type=heartRate&granularity=\(granularity)")
      let given = reply.json.points.items.map {
        "\($0.time.text ?? "") \($0.countMember) \($0.mean)"
      }
      let wanted = points.map { "\($0.0) \($0.1) \(JSONValue.number($0.2))" }
      #expect(given == wanted, "\(granularity)")
    }
    let raw = try await user.get("/data/series?type=heartRate").json
    #expect(raw.points.items.map(\.value) == [50, 60, 70, 90])
    #expect(raw.unit == "BPM")
  }

  @Test("the used storage and its limit can be read", .tags(.DAT_5))
  func quota() async throws {
    let user = try await TestSystem.shared().singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 60)])
    let quota = try await user.get("/data/quota").json
    #expect(quota.bytesMax == 10_000_000)
    #expect(try #require(quota.bytesUsed.number) > 0)
    #expect(quota.oldest == "2024-01-15T10:00:00Z")
  }

  @Test("a repeated upload under an Idempotency-Key has the first response", .tags(.R7))
  func key() async throws {
    let user = try await TestSystem.shared().singleUser()
    let batch: JSONValue = [
      "dataTypes": ["heartRate"], "values": [66], "timestamp": ["2024-01-15T10:00:00Z"],
    ]
    let first = try await user.post("/data/upload", batch, key: "first")
    let again = try await user.post("/data/upload", batch, key: "first")
    #expect(first.outcome == .ok)
    #expect(again.json == first.json)
    let other = try await user.post("/data/upload", batch.with("values", [67]), key: "first")
    #expect(other.outcome == Outcome(422, "Key reused"))
  }
}

extension JSONValue {
  /// The member `count`, whose name conflicts with the length of an array.
  var countMember: JSONValue { self["count"] }
}
