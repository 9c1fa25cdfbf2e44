import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import Postgres
import PostgresFixture
import Runs
import ServiceKit
import Support
import Testing
import Time

/// Runs in a new database, with a clock set by the test.
package struct RunFixture: Sendable {
  /// The test's database.
  package let test: TestDatabase
  /// The connections of the service's role to it.
  package let database: Database
  /// The civil time.
  package let clock: ManualClock
  /// The loop of the database.
  package let loop: EventLoop
  /// Time by the clock, randomness by the system.
  package let environment: Environment
  /// Signals each new order of the outbox.
  package let wakeUp = WakeUpSignal()
  /// The work of organisers.
  package let organising: RunOrganising
  /// The work of runners.
  package let enrolling: Enrolling

  /// 2026-06-01T12:00:00Z, the first time of the clock.
  package static let now = Instant(millisecondsSince1970: 1_780_315_200_000)
  /// The company that creates runs.
  package static let organiser = AccountID(rawValue: 900)
  /// Another company.
  package static let other = AccountID(rawValue: 901)

  /// Runs a test with a new database.
  package static func with(
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

  /// The secret that the keys of runs derive from.
  package static let root = RootSecret.random()

  /// Creates the work on runs in a database, on the loop of its connections.
  package init(_ test: TestDatabase, _ database: Database, on loop: EventLoop) {
    self.test = test
    self.database = database
    let clock = ManualClock(Self.now)
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
  package static func terms(
    starts: Int64 = 3600, ends: Int64 = 7200, enrol: Int64? = nil, participants: Int64 = 10,
    name: String = "Milano half"
  ) throws -> RunTerms {
    try RunTerms(
      name: RunName(name), startsAt: now.adding(seconds: starts), endsAt: now.adding(seconds: ends),
      enrolUntil: enrol.map { now.adding(seconds: $0) }, participantsMax: participants, now: now)
  }

  /// A path of two kilometres that begins some steps of about 1.1 km north of Milan.
  package static func path(_ north: Int = 0) throws -> RunPath {
    let latitude = 45.4642 + Double(north) / 100
    return try RunPath([
      GeoPoint(latitude: latitude, longitude: 9.19),
      GeoPoint(latitude: latitude, longitude: 9.2156),
    ])
  }

  /// Creates a run.
  package func create(
    _ terms: RunTerms, by organiser: AccountID = Self.organiser
  ) async throws -> Int64 {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.create(terms, by: organiser, named: "Corse", in: transaction)
    }
  }

  /// Publishes a run along a path.
  package func publish(
    _ runID: Int64, _ path: RunPath, by organiser: AccountID = Self.organiser
  ) async throws -> PublishOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.publish(runID, along: path, by: organiser, in: transaction)
    }
  }

  /// A run that should have been published was not.
  package struct NotPublished: Error {
    /// The outcome.
    package let outcome: PublishOutcome
  }

  /// A listed run along its own path.
  package func listed(_ terms: RunTerms, _ north: Int = 0) async throws -> Int64 {
    let runID = try await create(terms)
    let outcome = try await publish(runID, try Self.path(north))
    guard case .published = outcome else { throw NotPublished(outcome: outcome) }
    return runID
  }

  /// A runner joins a run.
  package func join(_ runID: Int64, _ runner: Int64) async throws -> JoinOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await enrolling.join(runID, by: AccountID(rawValue: runner), in: transaction)
    }
  }

  /// A runner leaves a run.
  package func leave(
    _ runID: Int64, _ runner: Int64, keeping result: Enrolling.KeptResult = .none
  ) async throws -> LeaveOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await enrolling.leave(
        runID, by: AccountID(rawValue: runner), keeping: result, in: transaction)
    }
  }

  /// Cancels a run.
  package func cancel(
    _ runID: Int64, by organiser: AccountID = Self.organiser
  ) async throws -> OrganisingOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.cancel(runID, by: organiser, in: transaction)
    }
  }

  /// Changes a run.
  package func change(
    _ runID: Int64, by organiser: AccountID = Self.organiser, _ edit: (inout RunChanges) -> Void
  ) async throws -> ChangeOutcome {
    var changes = RunChanges()
    edit(&changes)
    let wanted = changes
    return try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.change(runID, by: wanted, for: organiser, in: transaction)
    }
  }

  /// Permits or forbids a company to see a run.
  package func coOrganiser(
    _ other: AccountID, of runID: Int64, allowed: Bool, by organiser: AccountID = Self.organiser
  ) async throws -> CoOrganisingOutcome {
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await organising.setCoOrganiser(
        other, named: "Company \(other.rawValue)", of: runID, allowed: allowed, by: organiser,
        in: transaction)
    }
  }

  /// The number returned by a query.
  package func number(_ query: StaticString) throws -> Int {
    let rows = try test.session().rows(query)
    return try #require(rows.first?.first.flatMap { $0 }.flatMap { Int($0) })
  }
}
