import Foundation
import Postgres
import PostgresFixture
import Requirements
import Support
import Testing

private func file(_ number: Int, _ name: String, _ text: String) -> MigrationFile {
  MigrationFile(number: number, name: "000\(number)_\(name).sql", text: text)
}

private let first = file(1, "first", "CREATE TABLE first (id int8)")
private let second = file(2, "second", "CREATE TABLE second (id int8)")

/// Migrates a database, and returns the names of the applied migrations.
@discardableResult
private func migrate(_ test: TestDatabase, with files: [MigrationFile]) async throws -> [String] {
  try await onThread { try Migrator(files: files, url: test.url()).run() }
}

/// Migrates an empty database with each list of files in turn, and compares what it then holds.
private func migrating(
  _ runs: [MigrationFile]..., leaves expectations: [(query: StaticString, value: String?)] = []
) async throws {
  try await TestDatabase.with(.empty) { test in
    var failure: (any Error)?
    do {
      for files in runs { try await migrate(test, with: files) }
    } catch { failure = error }
    for (query, value) in expectations {
      let rows = try test.session().rows(query)
      #expect(rows == [[value]])
    }
    if let failure { throw failure }
  }
}

@Suite("the migrator") struct MigratorTests {
  @Test("missing migrations are applied once, in order, and recorded")
  func applies() async throws {
    try await TestDatabase.with(.empty) { test in
      #expect(try await migrate(test, with: [first]) == [first.name])
      #expect(try await migrate(test, with: [first, second]) == [second.name])
      #expect(try await migrate(test, with: [first, second]) == [])
      let rows = try test.session().rows(
        """
        SELECT number, name, length(sha256), applied_at <= now()
          FROM trackme.migrations ORDER BY number
        """)
      #expect(rows == [["1", first.name, "64", "t"], ["2", second.name, "64", "t"]])
    }
  }

  @Test("an empty database is distinguished from a migrated one")
  func isFirst() async throws {
    try await TestDatabase.with(.empty) { test in
      let migrator = Migrator(files: [first], url: test.url())
      #expect(try migrator.isFirst())
      try await migrate(test, with: [first])
      #expect(try !migrator.isFirst())
    }
  }

  @Test(
    "a migration is refused while an older process is connected, and applied once it has ended",
    .tags(.OPS_4))
  func olderProcesses() async throws {
    try await TestDatabase.with { test in
      let known = try MigrationFile.all(in: TestDatabase.sourceDirectory + "/sql")
      let number = KnownMigrations.data
      let compatible = MigrationFile(
        number: number + 1, name: "0\(number + 1)_more.sql", text: "CREATE TABLE more (id int8)")
      let breaking = MigrationFile(
        number: number + 2, name: "0\(number + 2)_less.sql",
        text: "-- Why.\n-- Needs: programs of 00\(number + 1)\nDROP TABLE more")
      let files = known + [compatible, breaking]
      let migrator = Migrator(files: files, url: test.url())
      #expect(try migrator.missing() == [compatible.name])
      let next = try process("data4help-2", number + 1, test)
      do {
        let older = try [process("data4help-1", number, test), process("gateway", nil, test)]
        let refusal = MigrationError.olderProcesses(
          name: breaking.name, processes: ["data4help-1", "gateway"])
        await #expect(throws: refusal) { try await migrate(test, with: files) }
        #expect(refusal.description.contains("`trackme replace`"))
        withExtendedLifetime(older) {}
      }
      // The server notices the end of a session a moment later.
      try await eventually("the end of the older sessions") {
        let query: StaticString =
          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        return try test.session().rows(query) == [["2"]]
      }
      #expect(try migrator.missing() == [])
      #expect(try await migrate(test, with: files) == [breaking.name])
      withExtendedLifetime(next) {}
    }
  }

  /// A session of a process that knows migrations up to a number, or tells none.
  private func process(
    _ name: String, _ number: Int?, _ test: TestDatabase
  ) throws -> AdminSession {
    try AdminSession(
      url: test.url(as: name == "gateway" ? "gateway" : "data4help"),
      applicationName: number.map { KnownMigrations.sessionName(of: name, knowing: $0) } ?? name)
  }

  @Test("the programs know the newest migration of each database", .tags(.OPS_4))
  func known() throws {
    let directory = TestDatabase.sourceDirectory + "/sql"
    #expect(try MigrationFile.all(in: directory).last?.number == KnownMigrations.data)
    #expect(try MigrationFile.all(in: directory + "/keys").last?.number == KnownMigrations.keys)
  }

  @Test("a long name of a process keeps its number within the limit of the server")
  func longName() {
    let name = KnownMigrations.sessionName(of: String(repeating: "a", count: 64), knowing: 7)
    #expect(name == String(repeating: "a", count: 58) + " 0007")
  }

  @Test("a file changed after it was applied is refused, and nothing is done")
  func changed() async throws {
    let other = file(1, "first", "CREATE TABLE other (id int8)")
    await #expect(throws: MigrationError.changed(first.name)) {
      try await migrating(
        [first], [other, second], leaves: [("SELECT to_regclass('second')", nil)])
    }
  }

  @Test("a file renamed after it was applied is refused")
  func renamed() async throws {
    await #expect(throws: MigrationError.changed(first.name)) {
      try await migrating([first], [file(1, "other", first.text)])
    }
  }

  @Test("a database that is ahead of the program is refused")
  func ahead() async throws {
    await #expect(throws: MigrationError.unknownNewer(second.name)) {
      try await migrating([first, second], [first])
    }
  }

  @Test(
    "a database of the migrations before 0.1.0 is refused with one line that says what to do",
    arguments: [
      (
        "0001_roles_and_schemas.sql",
        "f8d4899f2fd6e30655d91d57981b0373d68ca575849e4a9b7ec7f991f4638079"
      ), ("0001_roles.sql", "e8d9b63e96384bdc93e33f393290134c8d07009d6e4d3f471046295dbc4f89f6"),
    ])
  func beforeFirstRelease(_ name: String, _ sha256: String) async throws {
    try await TestDatabase.with(.empty) { test in
      try await migrate(test, with: [])
      try test.run(
        """
        INSERT INTO trackme.migrations (number, name, sha256) VALUES
          (1, '\(name)', '\(sha256)'), (2, '0002_second.sql', 'of the second')
        """)
      await #expect(throws: MigrationError.beforeFirstRelease) {
        try await migrate(test, with: [first, second])
      }
      #expect(try test.session().rows("SELECT to_regclass('first')") == [[nil]])
    }
    #expect(
      MigrationError.beforeFirstRelease.description == """
        The database was created by a version before 0.1.0 and cannot be migrated. Start with an \
        empty state directory, or with empty databases on a server of your own.
        """)
  }

  @Test("a migration that fails is undone whole, and named with its line")
  func fails() async throws {
    let broken = file(2, "broken", "CREATE TABLE half (id int8);\n\nSELECT nothing;")
    let error = await #expect(throws: MigrationError.self) {
      try await migrating(
        [first, broken],
        leaves: [
          ("SELECT to_regclass('half')", nil), ("SELECT count(*) FROM trackme.migrations", "1"),
        ])
    }
    #expect(
      error
        == .failed(
          name: broken.name, line: 3,
          reason: "The database refused with 42703: column \"nothing\" does not exist."))
  }

  @Test("a migration that ends its transaction is refused")
  func endsTransaction() async throws {
    let committing = file(1, "committing", "CREATE TABLE half (id int8); COMMIT;")
    await #expect(throws: MigrationError.endedTransaction(committing.name)) {
      try await migrating([committing])
    }
  }

  @Test("a missing number, a number twice and a wrong name are refused")
  func files() throws {
    #expect(throws: MigrationError.gap(missing: 2, before: "0003_x.sql")) {
      try MigrationFile.inOrder([first, file(3, "x", "")])
    }
    #expect(throws: MigrationError.gap(missing: 1, before: second.name)) {
      try MigrationFile.inOrder([second])
    }
    #expect(throws: MigrationError.numberTwice(1)) {
      try MigrationFile.inOrder([first, file(1, "other", "")])
    }
    #expect(try MigrationFile.inOrder([second, first]) == [first, second])
  }

  @Test(
    "a name is four digits, an underscore and lower-case words",
    arguments: [
      ("0001_a.sql", 1), ("0123_two_words.sql", 123), ("9999_x2.sql", 9999), ("1_a.sql", nil),
      ("00001_a.sql", nil), ("0001_.sql", nil), ("0001.sql", nil), ("0001_A.sql", nil),
      ("0001-a.sql", nil), ("000a_a.sql", nil), ("+001_a.sql", nil),
    ] as [(String, Int?)])
  func names(_ name: String, _ number: Int?) {
    #expect(MigrationFile.number(of: name) == number)
  }

  @Test("a missing directory is unreadable")
  func missing() {
    let error = #expect(throws: MigrationError.self) { try MigrationFile.all(in: "/nowhere") }
    guard case .unreadable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("without a server the migrator reports it")
  func noServer() {
    let error = #expect(throws: MigrationError.self) {
      try Migrator(files: [first], url: "postgresql://nobody@%2Fnowhere/nothing").run()
    }
    #expect(error?.description.hasPrefix("The database cannot be reached") == true)
  }
}

@Suite("reference files of migrations") struct ReferenceFileTests {
  @Test("a reference file is inserted, quoted, into the migration that names it")
  func quoted() throws {
    let directory = FileManager.default.temporaryDirectory.path + "/tmref-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(
      atPath: directory + "/reference", withIntermediateDirectories: true)
    try "L'Aquila;1\n".write(
      toFile: directory + "/reference/a.csv", atomically: true, encoding: .utf8)
    try "SELECT :'reference/a.csv', 2".write(
      toFile: directory + "/0001_a.sql", atomically: true, encoding: .utf8)
    #expect(try MigrationFile.all(in: directory).map(\.text) == ["SELECT 'L''Aquila;1\n', 2"])
    for wrong in ["SELECT :'reference/b.csv'", "SELECT :'reference/a.csv"] {
      try wrong.write(toFile: directory + "/0001_a.sql", atomically: true, encoding: .utf8)
      #expect(throws: MigrationError.self) { try MigrationFile.all(in: directory) }
    }
  }
}
