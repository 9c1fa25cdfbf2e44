import Data4HelpFixture
import Domain
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing
import Time

@Suite("Uploads")
struct HealthDataUploadTests {
  private let noon = "2026-03-15T11:00:00Z"

  @Test("every statement fits the schema")
  func statements() async throws {
    try await TestDatabase.with { test in
      let problems = try StatementCheck.problems(
        of: HealthDataStatements.all, at: test.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("samples entered by hand are stored under numbers from 1 on", .tags(.R6, .R9))
  func byHand() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let other = try await test.newAccount()
      let answer = try await test.upload(
        [
          ("heartRate", "61.5", "2026-03-15T10:00:00Z"),
          ("position", "45.4781,9.2273", "2026-03-15T10:00:00Z"),
          ("ecg", "sinus", "2026-03-14T10:00:00.250Z"),
        ], as: account)
      #expect(answer.counts == [3, 0, 0, 0, 0])
      let all = try await test.everything(of: account)
      #expect(all.map(\.sample.sequence) == [1, 2, 3])
      #expect(all.map { $0.sample.value.text(of: $0.type) } == ["61.5", "45.4781,9.2273", "sinus"])
      #expect(try await test.everything(of: other).isEmpty)
      #expect(try await test.samples.lastSequence(of: account) == 3)
      #expect(
        try await test.samples.availableTypes(of: account)
          == DataTypeSet([.heartRate, .position, .ecg]))
    }
  }

  @Test("repeated samples are not stored twice", .tags(.R7))
  func repeated() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let first = [
        ("heartRate", "60", "2026-03-15T08:00:00Z"), ("heartRate", "61", "2026-03-15T08:00:30Z"),
      ]
      #expect(try await test.upload(first, as: account).counts == [2, 0, 0, 0, 0])
      let overlapping =
        first + [
          ("heartRate", "62", "2026-03-15T08:00:30Z"),
          ("heartRate", "61", "2026-03-15T08:00:30.001Z"),
        ]
      #expect(try await test.upload(overlapping, as: account).counts == [2, 2, 0, 0, 0])
      #expect(try await test.upload(overlapping, as: account).counts == [0, 4, 0, 0, 0])
      let twice = [
        ("steps", "5", "2026-03-15T08:00:00Z"), ("steps", "5", "2026-03-15T09:00:00+01:00"),
      ]
      #expect(try await test.upload(twice, as: account).counts == [1, 1, 0, 0, 0])
      #expect(try await test.everything(of: account).map(\.sample.sequence) == [1, 2, 3, 4, 5])
    }
  }

  @Test("a device uploads in the background, early and late data mixed", .tags(.R8, .DAT_9))
  func background() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      var generator = SeededRandom(seed: 42)
      var samples = try heartRates(1500, from: "2026-03-13T20:00:00Z", everySeconds: 37)
      samples.shuffle(using: &generator)
      var rest = samples[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...40, using: &generator)
        let outcome = try await test.samples.upload(Array(rest.prefix(size)), to: account)
        #expect(outcome.stored == min(size, rest.count))
        rest = rest.dropFirst(size)
      }
      let all = try await test.everything(of: account)
      #expect(all.map(\.sample.sequence) == Array(1...1500))
      #expect(
        all.map(\.sample.time.millisecondsSince1970).sorted()
          == samples.map(\.time.millisecondsSince1970).sorted())
      try await test.checkBooks(of: account)
    }
  }

  @Test("an upload with an Idempotency-Key is stored once and has one answer", .tags(.R7))
  func idempotent() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let sample = [("heartRate", "60", "2026-03-15T08:00:00Z")]
      let first = try await test.upload(sample, as: account, idempotencyKey: "k")
      let second = try await test.upload(sample, as: account, idempotencyKey: "k")
      #expect(first.counts == [1, 0, 0, 0, 0])
      #expect(second.text == first.text)
      let other = try await test.upload(
        [("heartRate", "61", "2026-03-15T08:00:00Z")], as: account, idempotencyKey: "k")
      #expect(other.status == 422)
      #expect(try await test.everything(of: account).count == 1)
    }
  }

  @Test("a disabled type is not stored, and the response reports it", .tags(.DAT_1))
  func disabled() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      try await test.upload([("steps", "9", "2026-03-15T08:00:00Z")], as: account)
      let chosen = try await test.call(
        .chooseImportedTypes, body: #"{"types":["steps","weight"],"enabled":[false,true]}"#,
        as: account)
      #expect(chosen.object["message"] as? String == "Settings updated")
      let answer = try await test.upload(
        [("steps", "9", "2026-03-15T09:00:00Z"), ("weight", "70", "2026-03-15T09:00:00Z")],
        as: account)
      #expect(answer.counts == [1, 0, 1, 0, 0])
      #expect(try await test.samples.availableTypes(of: account) == DataTypeSet([.weight]))
      let read = try await test.call(.readImportedTypes, as: account).object
      let types = try #require(read["types"] as? [String])
      let enabled = try #require(read["enabled"] as? [Bool])
      #expect(types.count == DataType.allCases.count)
      #expect(zip(types, enabled).filter { !$1 }.map(\.0) == ["steps"])
    }
  }

  @Test("a choice of types that contradicts itself is refused", .tags(.DAT_1))
  func contradiction() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      for (body, field) in [
        (#"{"types":["steps","steps"],"enabled":[true,false]}"#, "types"),
        (#"{"types":["steps"],"enabled":[true,false]}"#, "enabled"),
        (#"{"types":["step"],"enabled":[true]}"#, "types[0]"),
        (#"{"types":["steps"]}"#, "enabled"),
      ] {
        let answer = try await test.call(.chooseImportedTypes, body: body, as: account)
        #expect(answer.status == 400)
        #expect(answer["field"] == field)
      }
    }
  }

  @Test("while collection is paused no sample is stored, and the reply reports it", .tags(.DAT_8))
  func paused() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      try await test.upload([("steps", "9", "2026-03-15T08:00:00Z")], as: account)
      try test.data.run(
        "UPDATE data4help.sample_accounts SET paused_until = '2026-03-15T12:00:00Z'")
      let sample = [("steps", "9", "2026-03-15T09:00:00Z")]
      #expect(try await test.upload(sample, as: account).counts == [0, 0, 0, 1, 0])
      try test.clock.move(to: "2026-03-15T12:00:00Z")
      #expect(try await test.upload(sample, as: account).counts == [1, 0, 0, 0, 0])
    }
  }
}

extension HealthDataTest {
  /// Checks that the account's row agrees with its chunks.
  func checkBooks(of account: AccountID) async throws {
    let difference = try value(
      """
      SELECT a.bytes_used - sum(octet_length(c.data)) || ' ' || max(c.last_seq) - a.next_seq
             || ' ' || a.stored_types - bit_or(1::int8 << c.type::int4)
        FROM data4help.sample_accounts a JOIN data4help.chunks c USING (account_id)
       WHERE account_id = $1::int8 GROUP BY a.account_id
      """, account.description)
    #expect(difference == "0 -1 0")
  }
}
