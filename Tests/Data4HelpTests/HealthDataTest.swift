import Data4Help
import Domain
import EventLoop
import Foundation
import HTTP
import Operations
import Postgres
import PostgresFixture
import Privacy
import PublicAPI
import Services
import Synchronization

/// Health data on new databases, with a clock set by the test, on a separate loop.
struct HealthDataTest: Sendable {
  let data: TestDatabase
  let surroundings: Surroundings
  let samples: SampleStore
  let clock: TestClock
  let secret: String

  /// The first time of the clock: a Sunday noon in Rome.
  static let beginning = "2026-03-15T11:00:00Z"

  static func run<Value: Sendable>(
    bytesMax: Int64 = SampleStore.accountBytesMax, log: Log = .none,
    _ body: @escaping @Sendable (HealthDataTest) async throws -> Value
  ) async throws -> Value {
    try await TestDatabase.with(.data) { data in
      try await TestDatabase.with(.keys) { keys in
        let loop = try EventLoop.start(name: "test")
        defer { loop.stop() }
        let clock = TestClock(try Timestamp(beginning))
        let zone = try TimeZoneRules(
          tzif: FileSystem.read("/usr/share/zoneinfo/Europe/Rome", bytesMax: 65_536))
        return try await Task(executorPreference: loop) {
          let database = Database(data.patientSettings(as: "data4help"), on: loop)
          let keysDatabase = Database(keys.patientSettings(as: "data4help"), on: loop)
          defer {
            database.close()
            keysDatabase.close()
          }
          let test = HealthDataTest(
            data, database, keysDatabase, zone, clock, loop, bytesMax: bytesMax,
            log: log)
          return try await body(test)
        }.value
      }
    }
  }

  private init(
    _ data: TestDatabase, _ database: Database, _ keysDatabase: Database, _ zone: TimeZoneRules,
    _ clock: TestClock, _ loop: EventLoop, bytesMax: Int64, log: Log
  ) {
    self.data = data
    self.clock = clock
    let root = RootSecret.random()
    secret = InternalSecret(root: root).withHeaderValue { value in
      String(decoding: value.indices.map { value[$0] }, as: UTF8.self)
    }
    var world = World.system
    world.now = { clock.now }
    surroundings = Surroundings(
      loop: loop, world: world, database: database, keysDatabase: keysDatabase,
      masterKeys: .random(), root: root,
      timeZones: TimeZones(standardName: "Europe/Rome", standard: zone), log: log)
    samples = SampleStore(surroundings, bytesMax: bytesMax)
  }

  /// An account with a key and an empty row.
  func newAccount() async throws -> AccountID {
    let account = AccountID(rawValue: .random(in: 1 ... .max))
    _ = try await surroundings.accountKeys.make(for: account)
    try data.run(
      """
      INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
             sealed_email, sealed_identity, sealed_profile, birth_date, sex)
      VALUES (\(account), 1, 1, '', now(), '', '', '', '1980-01-01', 'F')
      """)
    return account
  }

  /// Calls an endpoint as its owner; returns the status and the JSON answer.
  func call(
    _ endpoint: Endpoint, _ query: String = "", body: String = "", as account: AccountID,
    idempotencyKey: String? = nil
  ) async throws -> Answered {
    let routes =
      HealthDataRoutes(surroundings, samples: samples).routes
      + CollectionRoutes(surroundings, samples: samples).routes
      + NoticeRoutes(surroundings).all
    let route = routes.first { $0.method == endpoint.method && $0.pattern == endpoint.path }!
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
    do throws(Problem) {
      return Answered(try await route.handler(request))
    } catch {
      return Answered(error)
    }
  }

  /// Uploads samples written as `type value time`.
  @discardableResult
  func upload(
    _ samples: [(String, String, String)], as account: AccountID, idempotencyKey: String? = nil
  ) async throws -> Answered {
    try await call(
      .upload, body: Self.body(samples), as: account, idempotencyKey: idempotencyKey)
  }

  static func body(_ samples: [(String, String, String)]) -> String {
    func list(_ texts: [String]) -> String {
      "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
    return """
      {"dataTypes":\(list(samples.map(\.0))),"values":\(list(samples.map(\.1))),\
      "timestamp":\(list(samples.map(\.2)))}
      """
  }

  /// All samples of an account, by number.
  func everything(
    of account: AccountID, types: DataTypeSet = .all
  ) async throws -> [NumberedSample] {
    var reader = try await samples.reader(
      SampleSelection(account: account, sequences: 1...(.max), types: types))
    var all: [NumberedSample] = []
    while let page = try await reader.next() { all += page }
    return all
  }

  /// One value, read as the superuser.
  func value(_ sql: StaticString, _ values: String...) throws -> String? {
    try data.session().rows(sql, values).first?.first.flatMap { $0 }
  }
}

/// The answer of an endpoint.
struct Answered: Sendable {
  let status: HTTPStatus
  let bytes: [UInt8]
  let field: String?
  let cause: String?

  init(_ response: Response) {
    status = response.status
    bytes = if case .bytes(let bytes) = response.body { bytes } else { [] }
    field = nil
    cause = nil
  }

  init(_ problem: Problem) {
    status = problem.status
    bytes = []
    field = problem.field
    cause = problem.cause
  }

  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
  }

  /// The counts of an upload, in the order of the contract.
  var counts: [Int] {
    ["stored", "duplicates", "disabled", "paused", "dropped"].map { json[$0] as? Int ?? -1 }
  }

  func list(_ name: String) -> [[String: Any]] { json[name] as? [[String: Any]] ?? [] }
}

/// A clock that changes only when set.
final class TestClock: Sendable {
  private let time: Mutex<WallTime>

  init(_ time: Timestamp) { self.time = Mutex(WallTime(time)) }

  var now: WallTime { time.withLock { $0 } }

  func move(to text: String) throws {
    let moved = WallTime(try Timestamp(text))
    time.withLock { $0 = moved }
  }
}

/// Heart rates at a fixed interval, from a time on.
func heartRates(
  _ count: Int, from start: String, everySeconds step: Int64 = 1
) throws -> [NewSample] {
  let first = try Timestamp(start)
  return try (0..<count).map { index in
    NewSample(
      type: .heartRate, time: first.adding(seconds: Int64(index) * step),
      value: try SampleValue(Double(60 + index * 7 % 50), of: .heartRate))
  }
}
