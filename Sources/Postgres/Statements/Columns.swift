/// The columns of a result and their conversion to a row.
///
/// `Columns(Row.init)` takes types and order from the initialiser; a closure does so for rows that
/// are created in another way:
///
///     static let columns = Columns { (day: PostgresDate, count: Int64) in Row(day, Int(count)) }
package struct Columns<Row: Sendable>: Sendable {
  /// One column as the row declares it.
  package struct Column: Sendable {
    /// The server's type.
    package let type: PostgresType
    /// Whether the row accepts NULL.
    package let isNullable: Bool
  }

  /// The columns, in order.
  package let columns: [Column]
  let decode: @Sendable (inout RowReader) throws(PostgresError) -> Row

  /// The columns that `make` takes as parameters, in their order.
  package init<each Value: PostgresValue>(
    _ make: @escaping @Sendable (repeat each Value) throws(PostgresError) -> Row
  ) {
    var columns: [Column] = []
    for type in repeat (each Value).self {
      columns.append(Column(type: type.postgresType, isNullable: type.isNullable))
    }
    self.columns = columns
    decode = { (row: inout RowReader) throws(PostgresError) in
      try make(repeat try row.next() as each Value)
    }
  }
}

extension Columns where Row == Void {
  /// No columns: the statement returns no rows.
  package static var none: Columns<Void> { Columns {} }
}

extension Columns where Row: PostgresValue {
  /// A single column, which is the row.
  package static func one() -> Columns<Row> {
    Columns { (value: Row) in value }
  }
}
