import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import PostgresFixture
import Privacy
import Services
import Support
import Testing
import Track4Run

/// Runs in a new database, with a clock set by the test.
struct RunFixture: Sendable {
  let test: TestDatabase
  let database: Database
  let clock: ManualClock
  private let loop: EventLoop
  private let environment: Environment
  private let wakeUp = WakeUpSignal()
  let organising: RunOrganising
  let enrolling: Enrolling

  /// 2026-06-01T12:00:00Z, the first time of the clock.
  static let now = Timestamp(millisecondsSince1970: 1_780_315_200_000)
  static let organiser = AccountID(rawValue: 900)
  static let other = AccountID(rawValue: 901)

  /// Runs a test with a new database.
  static func with(
    connections: Int = 4, _ body: @escaping @Sendable (RunFixture) async throws -> Void
  ) async throws {
    try await TestDatabase.with { test in
      var settings = test.settings(as: "track4run")
      settings.writeConnections = connections
      let loop = try EventLoop.start(name: "runs")
      defer { loop.stop() }
      let database = Database(settings, on: loop)
      try await Task(executorPreference: loop) {
        defer { database.close() }
        try await body(RunFixture(test, database, on: loop))
      }.value
    }
  }

  private static let root = RootSecret.random()

  init(_ test: TestDatabase, _ database: Database, on loop: EventLoop) {
    self.test = test
    self.database = database
    let clock = ManualClock(WallTime(Self.now))
    self.clock = clock
    let environment = Environment(
      now: { clock.now }, monotonicNow: { .zero }, randomBytes: Environment.system.randomBytes)
    let outbox = Outbox(root: Self.root, environment: environment, wakeUp: wakeUp, on: loop)
    let checkIns = CheckIns(root: Self.root, environment: environment, outbox: outbox)
    self.environment = environment
    self.loop = loop
    organising = RunOrganising(environment: environment, zone: .utc, checkIns: checkIns)
    enrolling = Enrolling(environment: environment, checkIns: checkIns)
  }

  /// Terms of a run, with times in seconds from now.
  static func terms(
    starts: Int64 = 3600, ends: Int64 = 7200, enrol: Int64? = nil, participants: Int64 = 10,
    name: String = "Milano half"
  ) throws -> RunTerms {
    try RunTerms(
      name: RunName(name), startsAt: now.adding(seconds: starts), endsAt: now.adding(seconds: ends),
      enrolUntil: enrol.map { now.adding(seconds: $0) }, participantsMax: participants, now: now)
  }

  /// A path of two kilometres that begins some steps of about 1.1 km north of Milan.
  static func path(_ north: Int = 0) throws -> RunPath {
    let latitude = 45.4642 + Double(north) / 100
    return try RunPath([
      GeoPoint(latitude: latitude, longitude: 9.19),
      GeoPoint(latitude: latitude, longitude: 9.2156),
    ])
  }

  func create(
    _ terms: RunTerms, by organiser: AccountID = Self.organiser
  ) async throws -> Int64 {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.create(terms, by: organiser, named: "Corse", in: transaction)
    }
  }

  func publish(
    _ runID: Int64, _ path: RunPath, by organiser: AccountID = Self.organiser
  ) async throws -> PublishOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.publish(runID, along: path, by: organiser, in: transaction)
    }
  }

  /// A run that should have been published was not.
  struct NotPublished: Error {
    let outcome: PublishOutcome
  }

  /// A listed run along its own path.
  func listed(_ terms: RunTerms, _ north: Int = 0) async throws -> Int64 {
    let runID = try await create(terms)
    let outcome = try await publish(runID, try Self.path(north))
    guard case .published = outcome else { throw NotPublished(outcome: outcome) }
    return runID
  }

  func join(_ runID: Int64, _ runner: Int64) async throws -> JoinOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await enrolling.join(runID, by: AccountID(rawValue: runner), in: transaction)
    }
  }

  func leave(
    _ runID: Int64, _ runner: Int64, keeping result: Enrolling.KeptResult = .none
  ) async throws -> LeaveOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await enrolling.leave(
        runID, by: AccountID(rawValue: runner), keeping: result, in: transaction)
    }
  }

  func cancel(
    _ runID: Int64, by organiser: AccountID = Self.organiser
  ) async throws -> OrganisingOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.cancel(runID, by: organiser, in: transaction)
    }
  }

  func change(
    _ runID: Int64, by organiser: AccountID = Self.organiser, _ edit: (inout RunChanges) -> Void
  ) async throws -> ChangeOutcome {
    var changes = RunChanges()
    edit(&changes)
    let wanted = changes
    return try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.change(runID, by: wanted, for: organiser, in: transaction)
    }
  }

  func coOrganiser(
    _ other: AccountID, of runID: Int64, allowed: Bool, by organiser: AccountID = Self.organiser
  ) async throws -> CoOrganisingOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.setCoOrganiser(
        other, named: "Company \(other.rawValue)", of: runID, allowed: allowed, by: organiser,
        in: transaction)
    }
  }

  /// Runs `body` while a replica synchronises with Data4Help.
  func conversing(
    with data4help: FakeData4Help, opensBefore: Duration = .zero, log: Log = .none,
    _ body: () async throws -> Void
  ) async throws {
    let sync = conversation(with: data4help, database, opensBefore, log: log, on: loop)
    await loop.run { sync.value.start() }
    do { try await body() } catch {
      await sync.value.stop()
      throw error
    }
    await sync.value.stop()
  }

  /// Starts a replica that synchronises with Data4Help on its own loop until `kill`.
  func begin(with data4help: FakeData4Help, on loop: EventLoop) async {
    var settings = test.settings(as: "track4run")
    settings.applicationName = "killed"
    let database = Database(settings, on: loop)
    await loop.run {
      self.conversation(with: data4help, database, .zero, on: loop).value.start()
    }
  }

  /// Ends that replica and its connections abruptly, as a killed process does.
  func kill(_ loop: EventLoop) throws {
    loop.stop()
    try test.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'killed' AND datname = current_database()
      """)
  }

  private func conversation(
    with data4help: FakeData4Help, _ database: Database, _ opensBefore: Duration,
    log: Log = .none, on loop: EventLoop
  ) -> LoopBound<Data4HelpSync> {
    LoopBound(
      Data4HelpSync(
        environment: environment, database: database, root: Self.root, zone: .utc,
        opensBefore: opensBefore,
        addresses: [data4help.address], wakeUp: wakeUp, log: log, on: loop), on: loop)
  }

  /// The number returned by a query.
  func number(_ query: StaticString) throws -> Int {
    let rows = try test.session().rows(query)
    return try #require(rows.first?.first.flatMap { $0 }.flatMap { Int($0) })
  }
}

extension ManualClock {
  /// Changes the current time.
  func set(_ now: Timestamp) { set(WallTime(now)) }
}
