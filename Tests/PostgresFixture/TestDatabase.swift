import EventLoop
import Foundation
import Postgres
import Support
import Synchronization

/// A separate database for one test, with the schema of the migrations.
///
///     try await TestDatabase.with { test in
///       try test.run("INSERT INTO …")
///       try await test.onLoop(as: "data4help") { database in
///         try await database.write(…)
///       }
///     }
package final class TestDatabase: Sendable {
  /// The migrations that build the database.
  package enum Template: String, Sendable {
    /// The migrations of `sql/`: the data of all services.
    case data
    /// The migrations of `sql/keys/`: the account keys.
    case keys
    /// No migrations: an empty database.
    case empty
  }

  /// The database's name.
  package let name: String
  /// The cluster that contains it.
  package let cluster: TestCluster

  /// Each test has connections of up to four loops to one or two databases. With this many tests at
  /// a time they add up to some two hundred (`TestCluster` allows 300).
  private static let turns = Turns(12)
  private static let made = Mutex<(count: Int, templates: Set<Template>)>((0, []))

  private init(_ template: Template, in cluster: TestCluster) throws {
    self.cluster = cluster
    name = try Self.made.withLock { made in
      if made.templates.insert(template).inserted { try Self.build(template, in: cluster) }
      made.count += 1
      return "test_\(made.count)"
    }
    try Self.administer(cluster) { session throws(AdminSessionError) in
      try session.run("CREATE DATABASE \(name) TEMPLATE template_\(template.rawValue)")
    }
  }

  /// Creates a database when it is the test's turn, passes it to the test, and always drops it
  /// afterwards.
  @discardableResult
  package static func with<Value>(
    _ template: Template = .data, _ body: (TestDatabase) async throws -> Value
  ) async throws -> Value {
    try await turns.take {
      let database = try await onThread {
        try TestDatabase(template, in: try TestCluster.shared.get())
      }
      let result: Result<Value, any Error>
      do { result = .success(try await body(database)) } catch { result = .failure(error) }
      try await onThread { database.drop() }
      return try result.get()
    }
  }

  private static func build(_ template: Template, in cluster: TestCluster) throws {
    let name = "template_\(template.rawValue)"
    try administer(cluster) { session throws(AdminSessionError) in
      try session.run("CREATE DATABASE \(name)")
    }
    guard template != .empty else { return }
    let directory = sourceDirectory + (template == .keys ? "/sql/keys" : "/sql")
    try Migrator(directory: directory, url: cluster.url(name)).run()
  }

  /// The directory of the package, derived from the path of this file.
  package static var sourceDirectory: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
  }

  private static func administer(
    _ cluster: TestCluster, _ work: (AdminSession) throws(AdminSessionError) -> Void
  ) throws {
    try work(AdminSession(url: cluster.url("postgres"), applicationName: "fixture"))
  }

  private func drop() {
    // If the test has stopped the server, nothing is dropped; the files are removed with the
    // process.
    try? Self.administer(cluster) { session throws(AdminSessionError) in
      try session.run("DROP DATABASE \(name) WITH (FORCE)")
    }
  }

  /// The URL of the database, for a role.
  package func url(as role: String = "postgres") -> String { cluster.url(name, as: role) }

  /// A blocking session for preparing and inspecting data.
  package func session(as role: String = "postgres") throws -> AdminSession {
    try AdminSession(url: url(as: role), applicationName: "test")
  }

  /// Runs SQL as the superuser.
  package func run(_ script: String) throws { try session().run(script) }

  /// The only cell returned by a query, as text.
  package func cell(_ query: StaticString, _ values: String...) throws -> String? {
    try session().rows(query, values).first?.first.flatMap { $0 }
  }

  /// The settings of `onLoop`'s database. On a busy machine, opening a connection or serving the
  /// previous request may take longer than a service allows its callers to wait.
  package func settings(as role: String = "postgres") -> DatabaseSettings {
    Self.settings(url: url(as: role))
  }

  /// The same for a database of any cluster.
  package static func settings(url: String) -> DatabaseSettings {
    var settings = DatabaseSettings(url: url, applicationName: "test")
    settings.waitMax = .seconds(60)
    settings.statementMax = .seconds(60)
    settings.transactionIdleMax = .seconds(60)
    return settings
  }

  /// The same with a minute to connect, for services under hundreds of concurrent calls.
  package func patientSettings(as role: String = "postgres") -> DatabaseSettings {
    var settings = settings(as: role)
    settings.connectMax = .seconds(60)
    return settings
  }

  /// Runs `body` on a separate loop, with the database bound to that loop.
  @discardableResult
  package func onLoop<Value: Sendable>(
    as role: String = "postgres",
    report: @escaping @Sendable (DatabaseEvent) -> Void = { _ in },
    change: (inout DatabaseSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Database) async throws -> Value
  ) async throws -> Value {
    var settings = settings(as: role)
    change(&settings)
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let database = Database(settings, on: loop, report: report)
    return try await Task(executorPreference: loop) {
      defer { database.close() }
      return try await body(database)
    }.value
  }
}
