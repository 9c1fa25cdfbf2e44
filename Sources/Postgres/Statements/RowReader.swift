import CPostgres

/// Reads the columns of one row from left to right.
// SAFETY: the pointer is used only by `next`; `init` is unsafe and documents its requirements.
@safe package struct RowReader: ~Copyable {
  private let result: OpaquePointer
  private let row: Int32
  private var column: Int32 = 0

  /// Creates a reader of this row.
  ///
  /// The caller keeps the result alive as long as the reader, and has checked its number of columns
  /// against the statement's declaration.
  @unsafe init(result: OpaquePointer, row: Int32) {
    unsafe self.result = result
    self.row = row
  }

  mutating func next<Value: PostgresValue>() throws(PostgresError) -> Value {
    defer { column += 1 }
    if unsafe PQgetisnull(result, row, column) != 0 { return try Value.decodeNull() }
    let length = Int(unsafe PQgetlength(result, row, column))
    guard let start = unsafe PQgetvalue(result, row, column) else {
      throw .unexpectedResult("a column is missing")
    }
    // SAFETY: libpq keeps `length` bytes there as long as the result lives, which outlives this
    // call, and the span does not escape it.
    let bytes = unsafe UnsafeBufferPointer(
      start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: length)
    return try Value.decode(unsafe bytes.span)
  }
}
