import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import Foundation
import HTTP
import JSON
import LiveRuns
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import Runs
import ServiceKit
import Support
import Testing
import Time
import Web

/// The live part of one process over a database that several may share, with a clock set by the
/// test.
package struct LiveStage: Sendable {
  /// The test's database.
  package let test: TestDatabase
  /// The connections of the process to it.
  package let database: Database
  /// The only loop of the process.
  package let loop: EventLoop
  /// The civil time.
  package let clock: ManualClock
  /// The live part.
  package let parts: LiveParts
  /// The data shared by runners.
  package let runData: RunData
  /// The outbox of the process.
  package let outbox: Outbox
  private let metrics = Metrics()
  private let table: [Route]

  /// The parts shared by the processes of a test.
  package struct Installation: Sendable {
    let test: TestDatabase
    let root = RootSecret.random()
    let clock = ManualClock(RunFixture.now)
    let recorder = LogRecorder()

    /// An installation with this database.
    package init(test: TestDatabase) { self.test = test }
  }

  /// 2026-06-01T12:00:00Z, the first time of the clock.
  package static let now = RunFixture.now
  /// The company that creates runs.
  package static let organiser: Int64 = 900

  /// Runs a test with a new database and one process.
  package static func with(_ body: @escaping @Sendable (LiveStage) async throws -> Void)
    async throws
  {
    try await TestDatabase.with { test in
      try await process(of: Installation(test: test), body)
    }
  }

  /// Runs a body with one process of an installation. Prints the logged lines if it throws.
  package static func process(
    of installation: Installation, _ body: @escaping @Sendable (LiveStage) async throws -> Void
  ) async throws {
    let loop = try EventLoop.start(name: "live")
    defer { loop.stop() }
    try await Task(executorPreference: loop) {
      let stage = LiveStage(installation, on: loop)
      stage.parts.start()
      do { try await body(stage) } catch {
        await stage.end()
        for line in installation.recorder.lines { print(line) }
        throw error
      }
      await stage.end()
    }.value
  }

  private func end() async {
    await parts.endStreams()
    await parts.stop()
    database.close()
  }

  private init(_ installation: Installation, on loop: EventLoop) {
    test = installation.test
    clock = installation.clock
    self.loop = loop
    let clock = clock
    var environment = Environment.system
    environment.now = { clock.now }
    database = Database(test.settings(as: "track4run"), on: loop)
    let root = installation.root
    let log = Log(process: "test", sink: installation.recorder.sink)
    let unreadable = UnreadableRows(log: log, metrics: metrics, on: loop)
    runData = RunData(root: root, unreadable: unreadable, on: loop)
    let find: RunnerSearch.Find = { (known, _) throws(ApplicationError) in
      // The email of account N is N@example.org.
      guard case .email(let email) = known, let number = email.text.split(separator: "@").first
      else { return nil }
      return Int64(number).map { AccountID(rawValue: $0) }
    }
    let findNamed: RunnerSearch.FindNamed = { (name, accounts, _) throws(ApplicationError) in
      // Every account has this name.
      name.text == "Mario Rossi" ? Set(accounts) : []
    }
    outbox = Outbox(root: root, environment: environment, on: loop)
    let dependencies = LiveDependencies(
      environment: environment, database: database,
      effects: IdempotentEffects(database: database, root: root, environment: environment),
      links: PublicLinks(publicURL: "https://runs.example"),
      runnerNames: RunnerNames(root: root, unreadable: unreadable, on: loop), runData: runData,
      find: find, findNamed: findNamed, log: log)
    parts = LiveParts([dependencies], metrics: metrics)
    table = parts.routes(on: loop)
  }

  // MARK: Runs and runners

  /// The start of each run.
  package static let startsAt = now.adding(seconds: 60)
  /// The end of each run.
  package static let endsAt = now.adding(seconds: 3660)

  /// The position after some metres of the path of these tests.
  package static func place(_ metres: Double) throws -> GeoPoint {
    Course(try RunFixture.path()).position(at: metres)
  }

  /// An hour-long run along the path that begins in a minute, with checked-in runners.
  package func run(runners: Int) throws -> Int64 {
    try test.run(
      """
      INSERT INTO track4run.runs (organiser_id, organiser_name, name, starts_at, enrol_until,
        ends_at, participants_max, enrolled)
      VALUES (\(Self.organiser), 'Corse', 'Milano', '\(Self.startsAt)', '\(Self.startsAt)',
        '\(Self.endsAt)', 5000, \(runners));
      INSERT INTO track4run.publications (run_id, code, end_latitude, end_longitude, published_at)
      SELECT max(run_id), 'AAAA' || max(run_id), 45, 9, now() FROM track4run.runs;
      INSERT INTO track4run.paths (run_id, path, length_metres)
      SELECT max(run_id), postgis.ST_GeogFromText('LINESTRING(9.19 45.4642, 9.2156 45.4642)'),
             \(Course(try RunFixture.path()).length)
        FROM track4run.runs;
      INSERT INTO track4run.enrolments (run_id, number, account_id, shows_health, is_findable,
        joined_at, request_id, checked_in_at)
      SELECT max(run_id), number, 1000 + number, false, true, now(), gen_random_uuid(), now()
        FROM track4run.runs, generate_series(1, \(runners)) AS number GROUP BY number;
      """)
    let rows = try test.session().rows("SELECT max(run_id) FROM track4run.runs")
    let runID = try #require(rows.first?.first.flatMap { $0 }.flatMap { Int64($0) })
    return runID
  }

  /// Stores positions of runners, by metres, some seconds after the start.
  package func store(
    _ runID: Int64, _ metres: [Int32: Double], second: Int64, number: Int64,
    _ more: [Sample] = []
  ) async throws {
    var arrived: [CheckInSamples] = []
    for (index, entry) in metres.sorted(by: { $0.key < $1.key }).enumerated() {
      let position = Sample(
        stored: .position, time: Self.startsAt.adding(seconds: second),
        value: .position(try Self.place(entry.value)))
      arrived.append(
        CheckInSamples(
          runID: runID, number: entry.key, streamSeq: number + Int64(index),
          samples: [position] + more))
    }
    try await store(arrived)
  }

  /// Stores samples that arrived.
  package func store(_ arrived: [CheckInSamples]) async throws {
    let runData = runData
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await runData.store(arrived, in: transaction)
    }
  }

  /// The value of a counter without labels.
  package func count(_ name: String) throws -> Int {
    let line = metrics.text().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
  }

  /// Sets the clock to some seconds after the start.
  package func set(second: Int64) { clock.set(Self.startsAt.adding(seconds: second)) }

  // MARK: Calls

  /// The answer of a route to a GET or, with a body, to a POST.
  package func call(_ target: String, _ body: String? = nil, by caller: Int64? = nil) async throws
    -> Response
  {
    let method: HTTPMethod = body == nil ? .get : .post
    var head = RequestHead(method, target, authority: "test")
    if let caller {
      let kind: AccountKind = caller < 1000 ? .thirdParty : .singleUser
      let session = TokenHash(digest: SHA256.digest(of: "token".utf8Span.span))
      head.fields.append(InternalField.account.description, "\(caller)")
      head.fields.append(InternalField.kind.description, kind.rawValue)
      head.fields.append(InternalField.session.description, session.hexadecimal)
    }
    let parts = target.split(separator: "?", maxSplits: 1)
    let route = try #require(
      table.first { $0.method == method && $0.pattern == String(parts[0]) })
    let query = parts.count > 1 ? Array(parts[1].utf8) : []
    return try await route.handler(
      Request(
        head: head, query: try Query(decoding: query[...]),
        body: .bytes(Array((body ?? "").utf8))))
  }

  /// The answer as JSON.
  package func json(_ target: String, _ body: String? = nil, by caller: Int64? = nil) async throws
    -> LiveAnswer
  {
    try JSONDecoder().decode(LiveAnswer.self, from: Data(try await bytes(target, body, by: caller)))
  }

  /// The answer unparsed.
  package func bytes(_ target: String, _ body: String? = nil, by caller: Int64? = nil) async throws
    -> [UInt8]
  {
    let response = try await call(target, body, by: caller)
    guard case .bytes(let bytes) = response.body else { throw NoBytes() }
    return bytes
  }

  /// The answer to a polling client.
  package func update(_ runID: Int64) async throws -> LiveAnswer {
    try await json("/t4r/active/specUpdate", #"{"runID":\#(runID)}"#)
  }

  /// A spectator's stream.
  package func watch(_ runID: Int64) async throws -> Spectator {
    let response = try await call("/t4r/active/stream?runID=\(runID)")
    guard case .stream(let write) = response.body else { throw NoBytes() }
    return Spectator(write, on: loop)
  }

  private struct NoBytes: Error {}
}

/// The answer of the live endpoints, with the names of the API.
package struct LiveAnswer: Decodable, Sendable, Equatable {
  /// A runner, as spectators see it.
  package struct Runner: Decodable, Sendable, Equatable {
    /// The fields of the API.
    package let number: Int32?
    package let runnerName: String
    package let status: String
    package let coordinate: String?
    package let time: String?
    package let place: Int32?
    package let distance: Double?
    package let seconds: Double?
    package let finishTime: String?
    package let paused: Bool?
    package let heartRate: Double?
    package let activeEnergy: Double?
  }
  /// The fields of the API.
  package let runID: Int64
  package let state: String
  package let watching: Int
  package let runners: [Runner]?
  package let placings: [Runner]?

  /// A runner by number.
  package subscript(_ number: Int32) -> Runner? {
    (runners ?? placings ?? []).first { $0.number == number }
  }
}

/// A client of a stream, which applies its events to a picture.
package final class Spectator: Sendable {
  private let writer = BodyWriter()
  private let task: Task<Void, any Error>
  private let loop: EventLoop

  init(_ write: @escaping @Sendable (BodyWriter) async throws -> Void, on loop: EventLoop) {
    self.loop = loop
    let writer = writer
    task = Task(executorPreference: loop) { try await write(writer) }
  }

  /// An event as received.
  package struct Event: Sendable {
    /// The name of its kind.
    package let name: String
    /// Its document.
    package let data: String
  }

  /// The text received so far.
  package func text() async -> String {
    let writer = writer
    return await Task(executorPreference: loop) {
      String(decoding: writer.collected, as: UTF8.self)
    }.value
  }

  /// The events received so far.
  package func events() async -> [Event] {
    await text().components(separatedBy: "\n\n").compactMap { block in
      var fields: [String: String] = [:]
      for line in block.components(separatedBy: "\n") {
        let parts = line.components(separatedBy: ": ")
        if parts.count >= 2 { fields[parts[0]] = parts.dropFirst().joined(separator: ": ") }
      }
      guard let name = fields["event"], let data = fields["data"] else { return nil }
      return Event(name: name, data: data)
    }
  }

  /// The picture after all events; nil before the first.
  package func picture() async throws -> LivePicture? {
    var picture: LivePicture?
    for event in await events() where event.name == "positions" {
      switch try JSONReader.read(PositionsEvent.self, from: Array(event.data.utf8)) {
      case .full(let whole): picture = whole
      case .changes(let changes): try picture?.apply(changes)
      }
    }
    return picture
  }

  /// Waits for the end of the stream.
  package func ended() async throws { try await task.value }

  /// Disconnects, as a client that closes its connection.
  package func close() { task.cancel() }
}
