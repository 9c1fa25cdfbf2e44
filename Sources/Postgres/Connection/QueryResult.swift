import CPostgres

/// A libpq result, freed when it goes out of scope.
// SAFETY: the pointer comes from libpq, is never nil, is owned by this value alone, and is passed
// only to readers that do not outlive a call on this value.
@safe struct QueryResult: ~Copyable {
  private let pointer: OpaquePointer

  /// Takes ownership of a result; the caller must not free it.
  @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe PQclear(pointer) }

  /// The kinds of results that the pipeline distinguishes.
  enum Kind {
    case rows
    case failed(ServerError)
    case aborted
    case sync
    case unexpected
  }

  var kind: Kind {
    switch unsafe PQresultStatus(pointer) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .rows
    case PGRES_FATAL_ERROR: .failed(serverError)
    case PGRES_PIPELINE_ABORTED: .aborted
    case PGRES_PIPELINE_SYNC: .sync
    default: .unexpected
    }
  }

  /// The error or notice in the result.
  var serverError: ServerError {
    let schema = field("s")
    let table = field("t")
    return ServerError(
      sqlState: field("C"), severity: field("V"), constraint: field("n"),
      table: schema.isEmpty ? table : "\(schema).\(table)", message: field("M"))
  }

  /// A field of an error, identified by its letter in the protocol (manual, chapter 55.8).
  private func field(_ letter: Unicode.Scalar) -> String {
    guard let text = unsafe PQresultErrorField(pointer, Int32(letter.value)) else { return "" }
    return unsafe String(cString: text)
  }

  /// The position of the error in the statement, in characters from 1; 0 if unknown.
  var errorPosition: Int { Int(field("P")) ?? 0 }

  /// The server's unmodified message; it may contain values.
  var errorMessage: String { field("M") }

  /// The number of rows.
  var rowCount: Int { Int(unsafe PQntuples(pointer)) }

  /// The types of the columns of a described or executed statement.
  var columnTypes: [UInt32] {
    unsafe (0..<PQnfields(pointer)).map { unsafe PQftype(pointer, $0) }
  }

  /// The origin of a column: the table's number (0 if computed) and the column's number in it.
  func source(ofColumn column: Int) -> (table: UInt32, column: Int32) {
    (
      unsafe PQftable(pointer, Int32(column)), unsafe PQftablecol(pointer, Int32(column))
    )
  }

  /// The name of a column.
  func name(ofColumn column: Int) -> String {
    guard let name = unsafe PQfname(pointer, Int32(column)) else { return "" }
    return unsafe String(cString: name)
  }

  /// The types of the parameters of a described statement.
  var parameterTypes: [UInt32] {
    unsafe (0..<PQnparams(pointer)).map { unsafe PQparamtype(pointer, $0) }
  }

  /// Throws unless the columns match the declaration.
  func check<Row>(_ columns: Columns<Row>) throws(PostgresError) {
    let count = Int(unsafe PQnfields(pointer))
    guard count == columns.columns.count else {
      throw .unexpectedResult("\(count) columns came instead of \(columns.columns.count)")
    }
    for index in 0..<count {
      let type = unsafe PQftype(pointer, Int32(index))
      guard type == columns.columns[index].type.oid else {
        throw .unexpectedResult(
          "column \(index + 1) has type \(type) instead of \(columns.columns[index].type)")
      }
    }
  }

  /// The decoded rows.
  func rows<Row>(_ columns: Columns<Row>) throws(PostgresError) -> [Row] {
    let count = rowCount
    if count == 0, columns.columns.isEmpty { return [] }
    try check(columns)
    var rows: [Row] = []
    rows.reserveCapacity(count)
    for index in 0..<count {
      // SAFETY: the result outlives the reader, which does not escape this loop, and its columns
      // were checked above.
      var reader = unsafe RowReader(result: pointer, row: Int32(index))
      rows.append(try columns.decode(&reader))
    }
    return rows
  }

  /// The rows of a result in text format.
  var texts: [[String?]] {
    unsafe (0..<PQntuples(pointer)).map { row in
      unsafe (0..<PQnfields(pointer)).map { column in
        guard unsafe PQgetisnull(pointer, row, column) == 0,
          let text = unsafe PQgetvalue(pointer, row, column)
        else { return nil }
        return unsafe String(cString: text)
      }
    }
  }
}
