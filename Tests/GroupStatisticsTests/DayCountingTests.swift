import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import EventLoop
import Foundation
import GroupStatistics
import HealthRecords
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Day values of groups")
struct DayCountingTests {
  @Test("every statement fits the schema")
  func statements() async throws {
    try await TestDatabase.with { test in
      let problems = try StatementCheck.problems(
        of: GroupStatements.all + ComparisonStatements.all, at: test.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("a finished day becomes one value per person, the mean", .tags(.R29))
  func closed() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      _ = try await workers.closeDays()
      try await test.upload(
        [
          ("heartRate", "60", "2026-03-15T08:00:00Z"), ("heartRate", "80", "2026-03-15T09:00:00Z"),
          ("steps", "100", "2026-03-15T09:00:00Z"), ("ecg", "sinus", "2026-03-15T09:00:00Z"),
        ], as: person)
      _ = try await workers.closeDays()
      #expect(try test.codes(.heartRate, of: person) == nil)
      // In Rome the day is over at 23:00 UTC, and stays open for ten minutes.
      try test.clock.move(to: "2026-03-15T23:09:59Z")
      _ = try await workers.closeDays()
      #expect(try test.codes(.heartRate, of: person) == nil)
      try test.clock.move(to: "2026-03-15T23:10:00Z")
      _ = try await workers.closeDays()
      let codes = try #require(try test.codes(.heartRate, of: person))
      let coding = try #require(DayValueCode(.heartRate))
      #expect((0..<31).filter { codes[$0] != 0 } == [14])
      #expect(codes[14] == coding.code(of: 70, with: 0))
      #expect(try test.value("SELECT count(*) FROM data4help.day_columns") == "2")
      #expect(try test.value("SELECT count(*) FROM data4help.month_dirty") == "0")
    }
  }

  @Test("damaged samples do not prevent others' days from being closed or recounted")
  func damaged() async throws {
    let recorder = LogRecorder()
    try await HealthDataTest.run(log: Log(process: "test", sink: recorder.sink)) { test in
      let workers = try test.groupWorkers()
      let (person, other) = (try await test.newMember(), try await test.newMember())
      _ = try await workers.closeDays()
      for account in [person, other] {
        try await test.upload(
          [
            ("heartRate", "60", "2026-03-15T08:00:00Z"), ("weight", "60", "2026-03-15T08:00:00Z"),
            ("heartRate", "70", "2026-02-15T08:00:00Z"),
          ], as: account)
      }
      try test.data.run(
        """
        UPDATE data4help.chunks
           SET data = set_byte(data, length(data) - 1, get_byte(data, length(data) - 1) # 1)
         WHERE account_id = \(person)
        """)
      #expect(try await workers.recountMarked() == 2)
      try test.clock.move(to: "2026-03-15T23:10:00Z")
      _ = try await workers.closeDays()
      let coding = try #require(DayValueCode(.heartRate))
      #expect(try test.codes(.heartRate, of: other)?[14] == coding.code(of: 60, with: 0))
      #expect(
        try test.codes(.heartRate, of: other, month: 673)?[14] == coding.code(of: 70, with: 0))
      #expect(try test.codes(.heartRate, of: person)?.contains { $0 != 0 } != true)
    }
    #expect(recorder.lines.count { $0.contains("count samples for groups failed") } == 1)
  }

  @Test("data of a closed day marks its month, data of an open one does not", .tags(.R29))
  func late() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      try await test.upload([("heartRate", "60", "2026-03-15T08:00:00Z")], as: person)
      try await test.upload([("heartRate", "60", "2026-03-14T23:00:00Z")], as: person)
      #expect(try test.marks == "0")
      // 22:59 UTC belongs to the previous day in Rome. The first sample of a day is sent alone, the
      // second in a batch.
      for (time, marks) in [("2026-03-14T22:30:00Z", "1"), ("2026-03-14T22:59:59Z", "2")] {
        try await test.upload([("heartRate", "90", time)], as: person)
        #expect(try test.value("SELECT marks FROM data4help.month_dirty") == marks)
      }
      try await test.upload([("position", "45,9", "2026-02-01T08:00:00Z")], as: person)
      try await test.upload([("heartRate", "50", "2026-02-28T08:00:00Z")], as: person)
      #expect(try test.marks == "2")
      #expect(try await workers.recountMarked() == 2)
      #expect(try test.marks == "0")
      let coding = try #require(DayValueCode(.heartRate))
      let march = try #require(try test.codes(.heartRate, of: person))
      #expect((0..<31).map { march[$0] }.filter { $0 != 0 } == [coding.code(of: 90, with: 0)])
      let february = try #require(try test.codes(.heartRate, of: person, month: 673))
      #expect(february[27] == coding.code(of: 50, with: 0))
      // A repeated upload changes and marks nothing.
      try await test.upload([("heartRate", "50", "2026-02-28T08:00:00Z")], as: person)
      #expect(try test.marks == "0")
    }
  }

  @Test("imports of old data are counted", .tags(.R29))
  func imported() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      let samples = try heartRates(3_000, from: "2026-01-20T00:00:00Z", everySeconds: 900)
      _ = try await test.samples.append(samples, to: person)
      #expect(try test.marks == "2")
      #expect(try await workers.recountMarked() == 2)
      let january = try #require(try test.codes(.heartRate, of: person, month: 672))
      #expect((0..<31).filter { january[$0] != 0 } == Array(19...30))
    }
  }

  @Test(
    "steps of phone and watch count once in the day's sum, also for a closed day",
    .tags(.R29), arguments: [false, true])
  func countedOnce(isLate: Bool) async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      _ = try await workers.closeDays()
      let day = isLate ? "14" : "15"
      func sample(_ value: Double, _ time: String, device: Int32) throws -> NewSample {
        NewSample(
          type: .steps, time: try Instant("2026-03-\(day)T\(time):00Z"), device: device,
          value: try SampleValue(value, of: .steps))
      }
      // From 8 the watch counted more, from 9 the phone, and from 10 there is only the phone.
      let samples = try [
        sample(100, "08:10", device: 1), sample(70, "08:15", device: 2),
        sample(60, "08:45", device: 2), sample(400, "09:10", device: 1),
        sample(300, "09:20", device: 2), sample(50, "10:30", device: 1),
      ]
      // One upload per sample, so that each has its own block.
      for one in samples { _ = try await test.samples.append([one], to: person) }
      if isLate {
        #expect(try await workers.recountMarked() == 1)
      } else {
        try test.clock.move(to: "2026-03-15T23:10:00Z")
        _ = try await workers.closeDays()
      }
      let codes = try #require(try test.codes(.steps, of: person))
      let coding = try #require(DayValueCode(.steps))
      #expect(codes[isLate ? 13 : 14] == coding.code(of: 130 + 400 + 50, with: 0))
      #expect(codes.filter { $0 != 0 }.count == 1)
    }
  }

  @Test(
    "a day's value is the sum for cumulative types, and the mean for others", .tags(.R29))
  func summed() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      try await test.upload(
        [
          ("steps", "100", "2026-03-10T08:00:00Z"), ("steps", "200", "2026-03-10T18:00:00Z"),
          ("weight", "70", "2026-03-10T08:00:00Z"), ("weight", "72", "2026-03-10T18:00:00Z"),
        ], as: person)
      #expect(try await workers.recountMarked() == 2)
      for (type, value) in [(DataType.steps, 300.0), (.weight, 71)] {
        let coding = try #require(DayValueCode(type))
        #expect(try test.codes(type, of: person)?[9] == coding.code(of: value, with: 0))
      }
    }
  }

  @Test("people in several blocks keep all their values", .tags(.R29))
  func blocks() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      var people = [try await test.newMember()]
      // The next two are the last member of a block and the first of another.
      try test.data.run("ALTER TABLE data4help.accounts ALTER member RESTART WITH 1983")
      for _ in 0..<2 { people.append(try await test.newMember()) }
      _ = try await workers.closeDays()
      for (index, person) in people.enumerated() {
        try await test.upload([("heartRate", "\(60 + index)", "2026-03-15T08:00:00Z")], as: person)
        try await test.upload([("heartRate", "\(80 + index)", "2026-03-14T08:00:00Z")], as: person)
      }
      #expect(try await workers.recountMarked() == 3)
      try test.clock.move(to: "2026-03-15T23:10:00Z")
      _ = try await workers.closeDays()
      let coding = try #require(DayValueCode(.heartRate))
      for (index, person) in people.enumerated() {
        let codes = try #require(try test.codes(.heartRate, of: person))
        #expect(codes[13] == coding.code(of: Double(80 + index), with: 0))
        #expect(codes[14] == coding.code(of: Double(60 + index), with: 0))
      }
      #expect(
        try test.value("SELECT string_agg(DISTINCT block::text, ',') FROM data4help.day_columns")
          == "0,1,2")
    }
  }

  @Test("a disabled type leaves the groups, and returns when enabled", .tags(.R29))
  func switchedOff() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      try await test.upload([("heartRate", "60", "2026-03-10T08:00:00Z")], as: person)
      _ = try await workers.recountMarked()
      #expect(try test.codes(.heartRate, of: person) != nil)
      for isOn in [false, true] {
        let body = "{\"types\":[\"heartRate\"],\"enabled\":[\(isOn)]}"
        _ = try await test.call(.chooseImportedTypes, body: body, as: person)
        #expect(try await workers.recountMarked() == 1)
        #expect(try (test.codes(.heartRate, of: person) != nil) == isOn)
      }
    }
  }

  @Test("samples dropped for newer ones leave the groups", .tags(.R29))
  func dropped() async throws {
    try await HealthDataTest.run(bytesMax: 3_000) { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      try await test.upload([("heartRate", "60", "2025-12-10T08:00:00Z")], as: person)
      _ = try await workers.recountMarked()
      let more = try heartRates(4_000, from: "2026-03-01T08:00:00Z", everySeconds: 37)
      _ = try await test.samples.append(more, to: person)
      _ = try await workers.recountMarked()
      #expect(try test.codes(.heartRate, of: person, month: 671) == nil)
    }
  }

  @Test("a person with a deleted account is no longer counted", .tags(.ACC_8))
  func deletedAccount() async throws {
    try await HealthDataTest.run { test in
      let workers = try test.groupWorkers()
      let person = try await test.newMember()
      try await test.upload([("heartRate", "60", "2026-03-10T08:00:00Z")], as: person)
      try await test.parts.accountKeys.destroy([person])
      _ = try await workers.recountMarked()
      #expect(try test.codes(.heartRate, of: person) == nil)
      #expect(try test.marks == "0")
    }
  }

  @Test("concurrent workers and uploads lose no value", .tags(.R29))
  func concurrent() async throws {
    try await HealthDataTest.run { test in
      let workers = [try test.groupWorkers(), try test.groupWorkers()]
      var people: [AccountID] = []
      for _ in 0..<4 { people.append(try await test.newMember()) }
      _ = try await workers[0].closeDays()
      try test.clock.move(to: "2026-03-17T11:00:00Z")
      let accounts = people
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, account) in accounts.enumerated() {
          group.addTask(executorPreference: test.parts.loop) {
            for round in 0..<20 {
              let day = round % 2 == 0 ? "15" : "16"
              let time = "2026-03-\(day)T\(round < 9 ? "0" : "")\(round + 1):00:00Z"
              try await test.upload([("heartRate", "\(60 + index + round)", time)], as: account)
            }
          }
        }
        for worker in workers {
          group.addTask(executorPreference: test.parts.loop) {
            for _ in 0..<8 {
              _ = try await worker.closeDays()
              _ = try await worker.recountMarked()
            }
          }
        }
        try await group.waitForAll()
      }
      _ = try await workers[0].recountMarked()
      let coding = try #require(DayValueCode(.heartRate))
      for (index, account) in people.enumerated() {
        let codes = try #require(try test.codes(.heartRate, of: account))
        #expect(codes[14] == coding.code(of: Double(60 + index + 9), with: 0))
        #expect(codes[15] == coding.code(of: Double(60 + index + 10), with: 0))
      }
    }
  }

  @Test("a person's last position is stored as the hash of a cell", .tags(.R26))
  func cells() async throws {
    try await HealthDataTest.run { test in
      let person = try await test.newMember()
      func cell() throws -> String? {
        try test.value("SELECT encode(cell, 'hex') || ' ' || seen_ts FROM data4help.last_cells")
      }
      try await test.upload(
        [
          ("position", "45.4642,9.19", "2026-03-15T10:00:00Z"),
          ("position", "41.9,12.49", "2026-03-15T09:00:00Z"),
        ], as: person)
      let milan = try cell()
      // An older position, and a new one in the same cell within the hour, write nothing.
      try await test.upload([("position", "41.9,12.49", "2026-03-15T09:30:00Z")], as: person)
      try await test.upload([("position", "45.4643,9.1901", "2026-03-15T10:30:00Z")], as: person)
      #expect(try cell() == milan)
      try await test.upload([("position", "41.9,12.49", "2026-03-15T10:31:00Z")], as: person)
      #expect(try cell() != milan)
    }
  }
}

extension HealthDataTest {
  /// An account that groups count.
  func newMember(born: String = "1980-01-01", sex: String = "F") async throws -> AccountID {
    let account = try await newAccount()
    try data.run(
      """
      UPDATE data4help.accounts
         SET state = 2, activated_at = '2026-01-01', birth_date = '\(born)', sex = '\(sex)'
       WHERE account_id = \(account)
      """)
    return account
  }

  /// The workers of groups, with their own counting threads.
  func groupWorkers() throws -> GroupWorkers {
    let threads = try BlockingPool(name: "groups", threads: 1, queueMax: 64)
    return GroupWorkers(
      parts.dependencies.groupStatistics,
      GroupRequests(
        parts.dependencies.groupStatistics, threads: threads, seasoningDays: 0,
        personNoise: .silent, noise: .silent))
  }

  /// The number of marked months.
  var marks: String? {
    get throws { try value("SELECT count(*) FROM data4help.month_dirty") }
  }

  /// The stored codes of the days of a month, by default March 2026; nil if there are none.
  func codes(
    _ type: DataType, of account: AccountID, month: Int32 = 674
  ) throws -> [UInt16]? {
    let days = MonthDays(number: month).days
    let text = try value(
      """
      SELECT string_agg(day - $3::int4 || '=' || get_byte(vals, member % 992 * 2)
                        + 256 * get_byte(vals, member % 992 * 2 + 1), ',')
        FROM data4help.day_columns
        JOIN data4help.accounts ON member / 992 = block
       WHERE account_id = $1::int8 AND type = $2::int2 AND day BETWEEN $3::int4 AND $4::int4
      """, account.description, "\(type.rawValue)", "\(days.lowerBound)", "\(days.upperBound)")
    var codes = [UInt16](repeating: 0, count: 31)
    for pair in (text ?? "").split(separator: ",") {
      let parts = pair.split(separator: "=").compactMap { Int($0) }
      codes[try #require(parts.first)] = UInt16(try #require(parts.last))
    }
    return codes.allSatisfy { $0 == 0 } ? nil : codes
  }
}
