import CPostgres

/// A blocking connection for migrations, checks and tools; never used on a loop.
// SAFETY: the pointer comes from PQconnectdbParams, is never nil, is owned by this object and freed
// only in `deinit`. One thread at a time uses the object, as it is not Sendable.
@safe package final class AdminSession {
  private let connection: OpaquePointer

  /// Connects within `connectMax` whole seconds for each host of the URL.
  ///
  /// Throws `AdminSessionError.notConnected` with libpq's reason, which names host and user.
  package init(
    url: String, applicationName: String, connectMax: Int = 5
  ) throws(AdminSessionError) {
    let parameters = [
      ("target_session_attrs", "read-write"), ("dbname", url),
      ("application_name", applicationName), ("client_encoding", "UTF8"),
      ("connect_timeout", String(connectMax)),
    ]
    let connection = unsafe withCStrings(parameters.map(\.0)) { names in
      unsafe withCStrings(parameters.map(\.1)) { values in
        unsafe PQconnectdbParams(names, values, 1)
      }
    }
    guard let connection = unsafe connection else {
      throw .notConnected(reason: "out of memory")
    }
    unsafe self.connection = connection
    _ = unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
    guard unsafe PQstatus(connection) == CONNECTION_OK else {
      throw .notConnected(reason: lastMessage)
    }
  }

  deinit { unsafe PQfinish(connection) }

  private var lastMessage: String {
    guard let text = unsafe PQerrorMessage(connection) else { return "" }
    return unsafe String(cString: text).split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// Whether a transaction is open and has not failed.
  package var isInTransaction: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_INTRANS }

  /// Whether a transaction is open, failed or not.
  var isInAnyTransaction: Bool { unsafe PQtransactionStatus(connection) != PQTRANS_IDLE }

  /// Runs a script of any number of statements. They form one transaction, unless one is already
  /// open or the script begins its own.
  package func run(_ script: String) throws(AdminSessionError) {
    _ = try unsafe result(PQexec(connection, script))
  }

  /// Runs one statement with text parameters and returns its rows as text.
  package func rows(
    _ statement: StaticString, _ values: [String] = []
  ) throws(AdminSessionError) -> [[String?]] {
    let pointer = unsafe withCStrings(values) { values in
      unsafe PQexecParams(
        connection, statement.description, Int32(self.count(values)), nil, values, nil, nil, 0)
    }
    return try unsafe result(pointer).texts
  }

  private func count(_ values: UnsafePointer<UnsafePointer<CChar>?>) -> Int {
    var count = 0
    while unsafe values[count] != nil { count += 1 }
    return count
  }

  /// Prepares a statement and describes its parameters and columns.
  func describe(
    _ text: String, parameterTypes: [UInt32]
  ) throws(AdminSessionError) -> QueryResult {
    _ = try unsafe result(
      PQprepare(connection, "", text, Int32(parameterTypes.count), parameterTypes))
    return try unsafe result(PQdescribePrepared(connection, ""))
  }

  private func result(_ pointer: OpaquePointer?) throws(AdminSessionError) -> QueryResult {
    guard let pointer = unsafe pointer else { throw .lost(reason: lastMessage) }
    let result = unsafe QueryResult(owning: pointer)
    if let problem = problem(of: result) { throw problem }
    return result
  }

  private func problem(of result: borrowing QueryResult) -> AdminSessionError? {
    switch result.kind {
    case .rows: nil
    case .failed(let error) where !error.sqlState.isEmpty:
      .refused(error, position: result.errorPosition, message: result.errorMessage)
    case .failed, .aborted, .sync, .unexpected: .lost(reason: lastMessage)
    }
  }
}

/// The errors of an `AdminSession`, worded for the operator.
package enum AdminSessionError: Error, Sendable, CustomStringConvertible {
  /// No connection, with libpq's reason.
  case notConnected(reason: String)
  /// The connection was lost.
  case lost(reason: String)
  /// The server rejected the script. `position` is the character in the script, from 1, or 0 if
  /// unknown. The message is the server's own and may contain values.
  case refused(ServerError, position: Int, message: String)

  /// One sentence.
  package var description: String {
    switch self {
    case .notConnected(let reason): "The database cannot be reached: \(reason)."
    case .lost(let reason): "The connection to the database was lost: \(reason)."
    case .refused(let error, _, let message):
      "The database refused with \(error.sqlState): \(message)."
    }
  }
}
