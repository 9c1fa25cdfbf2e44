/// Compares statements with a real schema.
///
///     #expect(try StatementCheck.problems(of: Accounts.statements, at: database.url) == [])
package enum StatementCheck {
  /// The mismatches between these statements and this database, one sentence each.
  ///
  /// Each statement is prepared and described: it must be valid SQL, every parameter must have the
  /// type that the server infers, and number, types and nullability of the columns must match the
  /// row. The server does not report nullability of computed columns and of the nullable side of an
  /// outer join. Throws `AdminSessionError` if there is no connection.
  package static func problems(
    of statements: [any Statement.Type], at url: String
  ) throws(AdminSessionError) -> [String] {
    let session = try AdminSession(url: url, applicationName: "trackme statement check")
    var problems: [String] = []
    for statement in statements { problems += try check(statement, session) }
    return problems
  }

  private static func check<S: Statement>(
    _ statement: S.Type, _ session: AdminSession
  ) throws(AdminSessionError) -> [String] {
    let types = S.sql.parameterTypes
    if let index = types.firstIndex(where: { $0.oid == 0 }) {
      return ["\(S.name): parameter \(index + 1) has no type in the server"]
    }
    do {
      let description = try session.describe(S.sql.text, parameterTypes: types.map(\.oid))
      return try parameterProblems(S.self, session)
        + columnProblems(S.self, description, session)
    } catch .refused(let error, _, let message) {
      return ["\(S.name): the server refuses it with \(error.sqlState), \(message)"]
    }
  }

  /// Whether the server infers the same parameter types. Where it cannot infer a type, the declared
  /// one applies, with which it accepted the statement.
  private static func parameterProblems<S: Statement>(
    _ statement: S.Type, _ session: AdminSession
  ) throws(AdminSessionError) -> [String] {
    let declared = S.sql.parameterTypes
    if declared.isEmpty { return [] }
    let inferred: [UInt32]
    do {
      inferred = try session.describe(S.sql.text, parameterTypes: []).parameterTypes
    } catch .refused {
      return []
    }
    var problems: [String] = []
    for (index, type) in declared.enumerated() where index < inferred.count {
      if inferred[index] == type.oid { continue }
      let name = try typeName(inferred[index], session)
      problems.append("\(S.name): parameter \(index + 1) is \(type) here, \(name) in the schema")
    }
    return problems
  }

  private static func columnProblems<S: Statement>(
    _ statement: S.Type, _ description: borrowing QueryResult, _ session: AdminSession
  ) throws(AdminSessionError) -> [String] {
    let declared = S.columns.columns
    let actual = description.columnTypes
    guard declared.count == actual.count else {
      return ["\(S.name): the row has \(declared.count) columns, the result \(actual.count)"]
    }
    var problems: [String] = []
    for (index, column) in declared.enumerated() {
      let name = description.name(ofColumn: index)
      if column.type.oid != actual[index] {
        let type = try typeName(actual[index], session)
        problems.append(
          "\(S.name): column \(index + 1) (\(name)) is \(column.type) here, \(type) in the schema")
      }
      let source = description.source(ofColumn: index)
      if !column.isNullable, source.table != 0, try isNullable(source, session) {
        problems.append(
          "\(S.name): column \(index + 1) (\(name)) can be NULL in the schema and not in the row")
      }
    }
    return problems
  }

  private static func typeName(
    _ oid: UInt32, _ session: AdminSession
  ) throws(AdminSessionError) -> String {
    let rows = try session.rows("SELECT format_type($1::oid, NULL)", [String(oid)])
    return rows.first?.first.flatMap { $0 } ?? "unknown"
  }

  private static func isNullable(
    _ source: (table: UInt32, column: Int32), _ session: AdminSession
  ) throws(AdminSessionError) -> Bool {
    let rows = try session.rows(
      """
      SELECT attnotnull FROM pg_catalog.pg_attribute
       WHERE attrelid = $1::oid AND attnum = $2::int2
      """, [String(source.table), String(source.column)])
    return rows.first?.first != "t"
  }
}
