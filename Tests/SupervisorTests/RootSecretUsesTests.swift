import Bytes
import Cryptography
import EventLoop
import Mail
import Operations
import OperatorTool
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Columns sealed under the root secret")
struct RootSecretUsesTests {
  /// A column, with a row that a test inserts.
  private struct Column: Sendable {
    let table: String
    let name: String
    let place: SealContext
    let key: @Sendable (RootSecret) -> SealingKey
    /// The statement that inserts the row, with `SEALED` in the place of the sealed value.
    let row: String
    /// Reads the sealed value.
    let query: StaticString
    var title: String { "\(table).\(name)" }
  }

  private static let id = "0190a000-0000-7000-8000-000000000001"
  private static let identifier = UniversalID(high: 0x0190_a000_0000_7000, low: 1 << 63 | 1)

  private static let columns = [
    Column(
      table: "data4help.mails", name: "sealed_message",
      place: SealContext(table: "mails", column: "sealed_message", row: SealRow(identifier)),
      key: { SealingKey(mailOf: $0) },
      row: """
        INSERT INTO data4help.mails (mail_id, sealed_message, queued_at, next_attempt_at)
        VALUES ('\(id)', SEALED, now(), now())
        """,
      query: "SELECT encode(sealed_message, 'hex') FROM data4help.mails"),
    Column(
      table: "data4help.pairings", name: "sealed_description",
      place: SealContext(table: "pairings", column: "sealed_description", row: SealRow(identifier)),
      key: { SealingKey(pairingOf: $0) },
      row: """
        INSERT INTO data4help.pairings (
               code_blind, pairing_id, secret_hash, sealed_description, types, expires_at)
        VALUES ('\\x01', '\(id)', '\\x02', SEALED, 1, now())
        """,
      query: "SELECT encode(sealed_description, 'hex') FROM data4help.pairings"),
    Column(
      table: "data4help.third_party_log", name: "sealed_account",
      place: SealContext(
        table: "third_party_log", column: "sealed_account", row: SealRow(identifier)),
      key: { SealingKey(deletedAccountsOf: $0) },
      row: """
        INSERT INTO data4help.third_party_log (
               third_party_id, first_seq, last_seq, request_id, types, first_account_seq,
               entered_at, kind, sealed_account)
        VALUES (0, 7, 7, '\(id)', 0, 0, now(), 6, SEALED)
        """,
      query: "SELECT encode(sealed_account, 'hex') FROM data4help.third_party_log"),
    Column(
      table: "track4run.outbox", name: "sealed_order",
      place: SealContext(table: "outbox", column: "sealed_order", row: SealRow(identifier)),
      key: { SealingKey(outboxOf: $0) },
      row: """
        INSERT INTO track4run.outbox (order_id, kind, sealed_order, added_at, next_attempt_at)
        VALUES ('\(id)', 3, SEALED, now(), now())
        """,
      query: "SELECT encode(sealed_order, 'hex') FROM track4run.outbox"),
    Column(
      table: "track4run.enrolments", name: "sealed_name",
      place: SealContext(table: "enrolments", column: "sealed_name", row: SealRow(3, 41)),
      key: { SealingKey(runnerNamesOf: $0) },
      row: """
        INSERT INTO track4run.enrolments (
               run_id, number, account_id, sealed_name, shows_health, is_findable, joined_at)
        VALUES (3, 5, 41, SEALED, true, true, now())
        """,
      query: "SELECT encode(sealed_name, 'hex') FROM track4run.enrolments"),
    Column(
      table: "track4run.run_data", name: "sealed_samples",
      place: SealContext(table: "run_data", column: "sealed_samples", row: SealRow(3, 5, 11)),
      key: { SealingKey(runDataOf: $0, run: 3) },
      row: """
        INSERT INTO track4run.run_data (run_id, number, stream_seq, sealed_samples)
        VALUES (3, 5, 11, SEALED)
        """,
      query: "SELECT encode(sealed_samples, 'hex') FROM track4run.run_data"),
  ]

  private func store(_ column: Column, under root: RootSecret, in test: TestDatabase) throws {
    let sealed = column.key(root).seal(column.title, for: column.place)
    let literal = "'\\x\(Hexadecimal.encode(sealed.span))'"
    // Without the rows that the row refers to.
    try test.run(
      "SET session_replication_role = replica; "
        + column.row.replacing("SEALED", with: literal))
  }

  private func opens(
    _ column: Column, by root: RootSecret, in test: TestDatabase
  ) throws -> Bool {
    let digits = try #require(try test.cell(column.query))
    let decoded = Hexadecimal.decode(digits.utf8.span)
    let sealed = try #require(decoded)
    do throws(CryptographyError) {
      return try column.key(root).openText(sealed.span, for: column.place) == column.title
    } catch {
      return false
    }
  }

  /// Renews all columns; returns how many values were changed, and how many can't be read.
  private func renew(
    _ test: TestDatabase, _ root: RootSecret
  ) async throws -> (changed: Int, unreadable: Int) {
    let loop = try EventLoop.start(name: "renewal")
    defer { loop.stop() }
    return try await Task(executorPreference: loop) {
      let data = Database(test.settings(as: "data4help"), on: loop)
      let runs = Database(test.settings(as: "track4run"), on: loop)
      defer {
        data.close()
        runs.close()
      }
      var total = (changed: 0, unreadable: 0)
      for use in RootSecretUses.sealed(data: data, runs: runs, root, on: loop) {
        let renewal = try await use.renew()
        total.changed += renewal.changed
        total.unreadable += renewal.unreadable
      }
      return total
    }.value
  }

  @Test(
    "every column is sealed again under the new secret, and the former opens none", .tags(.OPS_6))
  func resealed() async throws {
    let announced = try RootKeyRing.random().announcing()
    let promoted = announced.promoting(announced.identifiers[1])
    let former = RootSecret(announced)
    let new = RootSecret(promoted.removingFormer())
    try await TestDatabase.with(.data) { test in
      for column in Self.columns {
        try store(column, under: former, in: test)
        try #require(try opens(column, by: former, in: test))
      }
      let first = try await renew(test, RootSecret(promoted))
      #expect(first == (Self.columns.count, 0))
      for column in Self.columns {
        #expect(try opens(column, by: new, in: test), "\(column.title)")
        #expect(try !opens(column, by: RootSecret(.random()), in: test))
      }
      // Only the former one, without the kept keys and the new secret.
      let alone = try #require(announced.only([announced.identifiers[0]]))
      for column in Self.columns {
        #expect(try !opens(column, by: RootSecret(alone), in: test), "\(column.title)")
      }
      let repeated = try await renew(test, RootSecret(promoted))
      #expect(repeated == (0, 0))
    }
  }

  @Test("a value of no secret of the file is counted, and the others are renewed", .tags(.OPS_6))
  func foreign() async throws {
    let announced = try RootKeyRing.random().announcing()
    let promoted = RootSecret(announced.promoting(announced.identifiers[1]))
    try await TestDatabase.with(.data) { test in
      try store(Self.columns[0], under: .random(), in: test)
      try store(Self.columns[3], under: RootSecret(announced), in: test)
      let renewed = try await renew(test, promoted)
      #expect(renewed == (1, 1))
      #expect(try opens(Self.columns[3], by: promoted, in: test))
    }
  }

  @Test("the columns are all of those that the schema describes as sealed by a server key")
  func complete() async throws {
    try await TestDatabase.with(.data) { test in
      let described = try test.session().rows(
        """
        SELECT format('%s.%s', attrelid::regclass, attname)
          FROM pg_attribute
         WHERE col_description(attrelid, attnum) LIKE 'Sealed with % server key%'
         ORDER BY 1
        """)
      let names = described.compactMap { $0.first ?? nil }
      #expect(names == Self.columns.map(\.title).sorted())
    }
  }

  @Test("a row that stays locked is an error that names its kind", .tags(.OPS_6))
  func locked() async throws {
    let announced = try RootKeyRing.random().announcing()
    let promoted = RootSecret(announced.promoting(announced.identifiers[1]))
    try await TestDatabase.with(.data) { test in
      try store(Self.columns[0], under: RootSecret(announced), in: test)
      let session = try test.session()
      try session.run("BEGIN; SELECT FROM data4help.mails FOR UPDATE")
      let loop = try EventLoop.start(name: "renewal")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let data = Database(test.settings(as: "data4help"), on: loop)
        defer { data.close() }
        let column = SealedMails(root: promoted)
        let refused = await #expect(throws: StartError.self) {
          try await ServerSealing(column, in: data, on: loop, lockMax: .milliseconds(100)).renew()
        }
        #expect(refused?.description.contains("A row of mails has been locked") == true)
        try session.run("COMMIT")
        #expect(try await ServerSealing(column, in: data, on: loop).renew().changed == 1)
      }.value
    }
  }
}
