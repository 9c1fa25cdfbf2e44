import Accounts
import Cryptography
import Data4Help
import Domain
import Emergencies
import EventLoop
import Foundation
import HTTP
import HealthRecords
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import ServiceKit
import Support
import Testing
import Time
import Web

/// Health data on new databases, with a clock set by the test, on a separate loop.
package struct HealthDataTest: Sendable {
  package let data: TestDatabase
  package let parts: TestParts
  package let samples: SampleStore
  package let clock: ManualClock
  package let secret: String
  package let table: [Route]

  /// The first time of the clock: a Sunday noon in Rome.
  package static let beginning = "2026-03-15T11:00:00Z"

  package static func run<Value: Sendable>(
    bytesMax: Int64 = SampleStore.accountBytesMax, log: Log = .none,
    _ body: @escaping @Sendable (HealthDataTest) async throws -> Value
  ) async throws -> Value {
    try await TestDatabase.with(.data) { data in
      try await TestDatabase.with(.keys) { keys in
        let loop = try EventLoop.start(name: "test")
        defer { loop.stop() }
        let clock = ManualClock(try Instant(beginning))
        let zone = try TimeZoneRules(
          tzif: FileSystem.read("/usr/share/zoneinfo/Europe/Rome", bytesMax: 65_536))
        return try await Task(executorPreference: loop) {
          let database = Database(data.patientSettings(as: "data4help"), on: loop)
          let keysDatabase = Database(keys.patientSettings(as: "data4help"), on: loop)
          defer {
            database.close()
            keysDatabase.close()
          }
          let test = try HealthDataTest(
            data, DatabasePair(data: database, keys: keysDatabase), zone, clock, loop,
            bytesMax: bytesMax, log: log)
          return try await body(test)
        }.value
      }
    }
  }

  private init(
    _ data: TestDatabase, _ databases: DatabasePair, _ zone: TimeZoneRules, _ clock: ManualClock,
    _ loop: EventLoop, bytesMax: Int64, log: Log
  ) throws {
    self.data = data
    self.clock = clock
    let root = RootSecret.random()
    secret = InternalSecret(root: root).withHeaderValue { value in
      String(decoding: value.indices.map { value[$0] }, as: UTF8.self)
    }
    let authentication = try #require(
      AuthenticationSettings(
        publicURL: "https://trackme.test", sessionIdle: .seconds(60), sessionMax: .seconds(60)))
    let components = try TestProcess.components(
      on: loop, databases,
      settings: LoopSettings(
        authentication: authentication, emergencies: .usual, answerWithinSeconds: 259_200,
        groupSeasoningDays: 0, accountBytesMax: bytesMax),
      clock: clock, log: log, root: root,
      timeZones: TimeZones(standardName: "Europe/Rome", standard: zone))
    parts = TestParts(components.dependencies)
    samples = components.samples
    table = components.routes
  }

  /// An account with a key and an empty row.
  package func newAccount() async throws -> AccountID {
    let account = AccountID(rawValue: .random(in: 1 ... .max))
    _ = try await parts.accountKeys.make(for: account)
    try data.run(
      """
      INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
             sealed_email, sealed_identity, sealed_profile, birth_date, sex)
      VALUES (\(account), 1, 1, '', now(), '', '', '', '1980-01-01', 'F')
      """)
    return account
  }

  /// Calls an endpoint as its owner; returns the status and the JSON answer.
  package func call(
    _ endpoint: Endpoint, _ query: String = "", body: String = "", as account: AccountID,
    idempotencyKey: String? = nil
  ) async throws -> Reply {
    let route = try #require(
      table.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    var head = RequestHead(endpoint.method, endpoint.path, authority: "test")
    head.fields.append(InternalField.secret.description, secret)
    head.fields.append(InternalField.account.description, account.description)
    head.fields.append(InternalField.kind.description, "single")
    let session = TokenHash(digest: SHA256.digest(of: "session".utf8Span.span))
    head.fields.append(InternalField.session.description, session.hexadecimal)
    if let idempotencyKey { head.fields.append(.idempotencyKey, idempotencyKey) }
    let request = Request(
      head: head, query: try Query(decoding: Array(query.utf8)[...]),
      body: .bytes(Array(body.utf8)))
    let response: Response
    do throws(Problem) { response = try await route.handler(request) } catch {
      return Reply(error)
    }
    return try await Reply(response)
  }

  /// Uploads samples written as `type value time`.
  @discardableResult
  package func upload(
    _ samples: [(String, String, String)], as account: AccountID, idempotencyKey: String? = nil
  ) async throws -> Reply {
    try await call(
      .upload, body: Self.body(samples), as: account, idempotencyKey: idempotencyKey)
  }

  package static func body(_ samples: [(String, String, String)]) -> String {
    func list(_ texts: [String]) -> String {
      "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
    return """
      {"dataTypes":\(list(samples.map(\.0))),"values":\(list(samples.map(\.1))),\
      "timestamp":\(list(samples.map(\.2)))}
      """
  }

  /// All samples of an account, by number.
  package func everything(
    of account: AccountID, types: DataTypeSet = .all
  ) async throws -> [NumberedSample] {
    var reader = try await samples.reader(
      SampleSelection(account: account, sequences: 1...(.max), types: types))
    var all: [NumberedSample] = []
    while let page = try await reader.next() { all += page }
    return all
  }

  /// One value, read as the superuser.
  package func value(_ sql: StaticString, _ values: String...) throws -> String? {
    try data.session().rows(sql, values).first?.first.flatMap { $0 }
  }
}

/// Heart rates at a fixed interval, from a time on.
package func heartRates(
  _ count: Int, from start: String, everySeconds step: Int64 = 1
) throws -> [NewSample] {
  let first = try Instant(start)
  return try (0..<count).map { index in
    NewSample(
      type: .heartRate, time: first.adding(seconds: Int64(index) * step),
      value: try SampleValue(Double(60 + index * 7 % 50), of: .heartRate))
  }
}
