import Postgres
import Requirements
import Testing
import Time

private struct AccountsOfKind: Statement {
  typealias Row = Int64
  static let visible: StaticString = "deleted_at IS NULL"
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM accounts
     WHERE kind = \(\.kind) AND email = \(\.email) AND \(\.kind) <> 'x' AND \(fragment: visible)
    """
  let email: [UInt8]
  let kind: String
}

@Suite("statements") struct StatementTests {
  @Test("a key path becomes a numbered parameter, and the same number when repeated")
  func numbering() {
    #expect(
      AccountsOfKind.sql.text.hasSuffix(
        "kind = $1 AND email = $2 AND $1 <> 'x' AND deleted_at IS NULL"))
    #expect(AccountsOfKind.sql.parameterTypes == [.text, .bytea])
  }

  @Test("the columns follow from the row")
  func columns() {
    #expect(AccountsOfKind.columns.columns.map(\.type) == [.int8])
    let columns = Columns { (text: String, time: Instant?, days: [PostgresDate]) in text }
    #expect(columns.columns.map(\.type.name) == ["text", "timestamptz", "date[]"])
    #expect(columns.columns.map(\.isNullable) == [false, true, false])
  }
}

@Suite("errors of the database") struct PostgresErrorTests {
  @Test("a unique violation is identified by its constraint")
  func named() {
    let error = PostgresError.server(
      ServerError(sqlState: "23505", constraint: "accounts_email_key", table: "data4help.accounts"))
    #expect(error.isUniqueViolation(of: "accounts_email_key"))
    #expect(!error.isUniqueViolation(of: "accounts_piva_key"))
    #expect(!error.isForeignKeyViolation(of: "accounts_email_key"))
    #expect(error.outcome == .refused)
  }

  @Test("the description contains code, constraint and table, and no value")
  func redacted() {
    let broken = ServerError(
      sqlState: "23505", constraint: "accounts_email_key", table: "data4help.accounts",
      message: "Key (email)=(anna@example.org) already exists")
    #expect(
      PostgresError.server(broken).description
        == "The database reported ERROR 23505 on constraint accounts_email_key of "
        + "data4help.accounts.")
    let malformed = ServerError(
      sqlState: "22P02", message: "invalid input syntax for type uuid: \"secret\"")
    #expect(!malformed.description.contains("secret"))
    let missing = ServerError(sqlState: "42P01", message: "relation \"x\" does not exist")
    #expect(missing.description.contains("relation"))
  }

  @Test("each error states whether the work may have taken effect")
  func outcomes() {
    #expect(PostgresError.unavailable.outcome == .notSent)
    #expect(PostgresError.outcomeUnknown.outcome == .unknown)
    #expect(PostgresError.timedOut.outcome == .unknown)
    #expect(PostgresError.closed.outcome == .notSent)
    #expect(PostgresError.unavailable.isTransient)
    #expect(PostgresError.server(ServerError(sqlState: "40P01")).isConflict)
    #expect(PostgresError.server(ServerError(sqlState: "40001")).isConflict)
    #expect(!PostgresError.server(ServerError(sqlState: "23505")).isTransient)
  }
}
