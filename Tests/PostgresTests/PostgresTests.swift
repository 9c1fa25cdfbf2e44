import EventLoop
import Postgres
import Requirements
import Testing

enum AccountKind: String { case single, tp }
extension AccountKind: PostgresValue {}

struct AccountByEmail: Statement {
  struct Row {
    let accountID: Int64
    let passwordHash: String
    let kind: AccountKind
    let deletedAt: WallTime?
  }
  static let sql: SQL<Self> = """
    SELECT account_id, password_hash, kind, deleted_at
      FROM data4help.accounts
     WHERE email_index = \(\.emailIndex) AND kind = \(\.kind) OR \(\.emailIndex) IS NULL
    """
  static let columns = Columns(Row.init)
  let emailIndex: [UInt8]
  let kind: AccountKind
}

struct CountAccounts: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT count(*) FROM data4help.accounts"
}

struct Touch: Statement {
  static let sql: SQL<Self> = "UPDATE data4help.accounts SET touched = true"
}

enum ChoiceError: DatabaseFailure { case unknown, database(PostgresError) }

func compiles(_ database: Database) async throws {
  let rows = try await database.read(AccountByEmail(emailIndex: [], kind: .single))
  _ = rows.first?.accountID
  let n: Int64? = try await database.readOne(CountAccounts())
  _ = n
  let (_, b) = try await database.write(Touch(), CountAccounts())
  _ = b.first
  try await database.write(Touch())
  let x = try await database.transaction { transaction throws(ChoiceError) in
    guard let n = try await transaction.runOne(CountAccounts()) else { throw .unknown }
    let (_, b) = try await transaction.run(Touch(), CountAccounts())
    _ = b
    try await transaction.commit(Touch())
    return n
  }
  _ = x
  let y = try await database.transaction { transaction throws(PostgresError) in
    let n = try await transaction.runOne(CountAccounts())
    try await transaction.commit(Touch())
    return n
  }
  _ = y
}

@Test("a key path becomes a numbered parameter, the same one once")
func numbering() {
  #expect(AccountByEmail.sql.text.contains("email_index = $1 AND kind = $2 OR $1 IS NULL"))
  #expect(AccountByEmail.sql.parameterTypes == [.bytea, .text])
  #expect(AccountByEmail.columns.columns.map(\.type) == [.int8, .text, .text, .timestamptz])
}
