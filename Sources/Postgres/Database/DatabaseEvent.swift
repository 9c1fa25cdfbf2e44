/// A connection event for the log.
///
/// The sentences contain neither values nor the URL.
package enum DatabaseEvent: Sendable, Equatable, CustomStringConvertible {
  /// A connection is ready.
  case connected
  /// An attempt to connect failed, with the SQLSTATE or another short cause; it will be repeated.
  case connectFailed(cause: String)
  /// A planned change of the primary was announced: new work is held until the next one is found.
  case handoverAnnounced
  /// An open connection was lost.
  case lost(cause: String)
  /// The server sent a notice or warning (severity and SQLSTATE; the text is dropped).
  case notice(severity: String, sqlState: String)
  /// A statement timed out; the server ends it.
  case timedOut(statement: String)

  /// One sentence for the log.
  package var description: String {
    switch self {
    case .connected: "A connection to the database is open."
    case .connectFailed(let cause): "The database could not be reached: \(cause)."
    case .handoverAnnounced: "The primary of the database is about to change."
    case .lost(let cause): "A connection to the database was lost: \(cause)."
    case .notice(let severity, let sqlState): "The database sent \(severity) \(sqlState)."
    case .timedOut(let statement): "The statement \(statement) timed out."
    }
  }
}
