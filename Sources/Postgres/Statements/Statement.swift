import Time

/// One SQL statement with the types of its parameters and of its rows.
///
/// The stored properties are the parameters, referenced in the SQL by key path; the properties of
/// `Row` are the columns, in order. The statement is prepared once per connection, parameters and
/// columns use the binary format, and `StatementCheck` compares all of it with the real schema.
///
///     struct AccountByEmail: Statement {
///       struct Row { let accountID: Int64; let passwordHash: String; let deletedAt: Instant? }
///       static let sql: SQL<Self> = """
///         SELECT account_id, password_hash, deleted_at
///           FROM data4help.accounts
///          WHERE email_index = \(\.emailIndex)
///         """
///       static let columns = Columns(Row.init)
///       let emailIndex: [UInt8]
///     }
///
/// A statement with one column needs no `columns` (`typealias Row = Int64` is enough); one without
/// columns needs neither.
package protocol Statement: Sendable {
  /// The type of a row of the result.
  associatedtype Row: Sendable = Void
  /// The text, with parameters by key path. Always a `static let`.
  static var sql: SQL<Self> { get }
  /// The columns of the result. A `static let` if a statement declares them.
  static var columns: Columns<Row> { get }
}

extension Statement where Row == Void {
  package static var columns: Columns<Void> { .none }
}

extension Statement where Row: PostgresValue {
  package static var columns: Columns<Row> { .one() }
}

extension Statement {
  /// The name of the statement in logs and errors: the name of its type.
  package static var name: String { String(describing: Self.self) }
}
