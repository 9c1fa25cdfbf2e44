/// Migrates a database forward to the migrations of a directory.
///
/// Each migration runs in its own transaction, together with its record in the table
/// `trackme.migrations`; a lock excludes concurrent migrators. There are no down migrations: a
/// mistake is corrected by a further migration. The calls block, so it must not be used on a loop.
package struct Migrator {
  private let files: [MigrationFile]
  private let url: String

  /// The number of the advisory lock: arbitrary, but the same in every version.
  private static let lock: StaticString = "SELECT pg_advisory_lock(7235405177293158)"

  /// Creates a migrator for the database at a libpq URL. Its role must be allowed everything that
  /// the migrations do (the first one creates roles).
  ///
  /// Throws what `MigrationFile.all` throws.
  package init(directory: String, url: String) throws(MigrationError) {
    self.init(files: try MigrationFile.all(in: directory), url: url)
  }

  /// Creates a migrator with these files, in order.
  package init(files: [MigrationFile], url: String) {
    self.files = files
    self.url = url
  }

  /// Applies the missing migrations and returns their names.
  ///
  /// Throws `.beforeFirstRelease`, `.changed` and `.unknownNewer` before anything is done,
  /// `.olderProcesses`, `.failed` and `.endedTransaction` with everything before it applied,
  /// `.database` otherwise.
  @discardableResult
  package func run() throws(MigrationError) -> [String] {
    let session = try orDatabase { () throws(AdminSessionError) in
      let session = try AdminSession(url: url, applicationName: "trackme migrate")
      _ = try session.rows(Self.lock)
      try session.run(Self.preparation)
      return session
    }
    let pending = try pending(on: session)
    for migration in pending {
      try refuseOlderProcesses(for: migration.file, on: session)
      try apply(migration, on: session)
    }
    return pending.map(\.file.name)
  }

  /// The names of the migrations without which the programs of this version can't work: those that
  /// are not applied, up to the first one that waits for the end of older processes.
  ///
  /// Throws what `run` throws before anything is done.
  package func missing() throws(MigrationError) -> [String] {
    let session = try orDatabase { () throws(AdminSessionError) in
      let session = try AdminSession(url: url, applicationName: "trackme migrate")
      try session.run(Self.preparation)
      return session
    }
    return try pending(on: session).map(\.file).prefix { $0.programsMin == nil }.map(\.name)
  }

  /// Every role sees the names of all sessions. A process without a session uses no schema now.
  private func refuseOlderProcesses(
    for file: MigrationFile, on session: AdminSession
  ) throws(MigrationError) {
    guard let least = file.programsMin else { return }
    let rows = try orDatabase { () throws(AdminSessionError) in
      try session.rows(
        """
        SELECT DISTINCT application_name
          FROM pg_stat_activity
         WHERE datname = current_database()
           AND usename IN ('gateway', 'data4help', 'track4run')
         ORDER BY application_name
        """)
    }
    let older = rows.compactMap { $0.first ?? nil }.map(KnownMigrations.parse)
      .filter { $0.number < least }
    guard older.isEmpty else {
      throw .olderProcesses(name: file.name, processes: older.map(\.process))
    }
  }

  /// Whether no migration was ever applied to the database, so that it contains none of our
  /// objects.
  ///
  /// Throws `.database`.
  package func isFirst() throws(MigrationError) -> Bool {
    try orDatabase { () throws(AdminSessionError) in
      let session = try AdminSession(url: url, applicationName: "trackme migrate")
      return try session.rows("SELECT to_regclass('trackme.migrations') IS NULL") == [["t"]]
    }
  }

  private func orDatabase<Value>(
    _ work: () throws(AdminSessionError) -> Value
  ) throws(MigrationError) -> Value {
    do throws(AdminSessionError) { return try work() } catch { throw .database(error.description) }
  }

  private func pending(on session: AdminSession) throws(MigrationError) -> [Migration] {
    var migrations: [Migration] = []
    for file in files {
      let rows = try orDatabase { () throws(AdminSessionError) in
        try session.rows("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [file.text])
      }
      migrations.append(Migration(file: file, sha256: rows.first?.first.flatMap { $0 } ?? ""))
    }
    let rows = try orDatabase { () throws(AdminSessionError) in
      try session.rows("SELECT number, name, sha256 FROM trackme.migrations ORDER BY number")
    }
    let applied = rows.map { row in
      AppliedMigration(
        number: row[0].flatMap { Int($0) } ?? 0, name: row[1] ?? "", sha256: row[2] ?? "")
    }
    return try Migration.pending(of: migrations, after: applied)
  }

  private func apply(
    _ migration: Migration, on session: AdminSession
  ) throws(MigrationError) {
    let file = migration.file
    do throws(AdminSessionError) {
      try session.run("BEGIN")
      try session.run(file.text)
    } catch {
      // A failed script is rolled back when the session closes, unless it has ended its
      // transaction.
      throw session.isInAnyTransaction
        ? .failed(name: file.name, line: error.line(in: file.text), reason: error.description)
        : .endedTransaction(file.name)
    }
    guard session.isInTransaction else { throw .endedTransaction(file.name) }
    do throws(AdminSessionError) {
      _ = try session.rows(
        "INSERT INTO trackme.migrations (number, name, sha256) VALUES ($1::int4, $2, $3)",
        [String(file.number), file.name, migration.sha256])
      try session.run("COMMIT")
    } catch {
      throw .failed(name: file.name, line: 0, reason: error.description)
    }
  }

  private static let preparation = """
    CREATE SCHEMA IF NOT EXISTS trackme;
    CREATE TABLE IF NOT EXISTS trackme.migrations (
      number int4 CONSTRAINT migrations_number_pk PRIMARY KEY,
      name text NOT NULL,
      sha256 text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    );
    """
}

extension AdminSessionError {
  /// The line of the script that the server reported, from 1; 0 if it reported none.
  fileprivate func line(in script: String) -> Int {
    guard case .refused(_, let position, _) = self, position > 0 else { return 0 }
    return 1 + script.unicodeScalars.prefix(position - 1).count { $0 == "\n" }
  }
}
