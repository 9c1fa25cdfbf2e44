/// The reason why the database was not migrated, worded for the operator.
package enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The directory or a file cannot be read.
  case unreadable(String)
  /// A file is not called `NNNN_name.sql`.
  case misnamed(String)
  /// Two files have the same number.
  case numberTwice(Int)
  /// A number is missing before this file.
  case gap(missing: Int, before: String)
  /// A migration that was applied is not what its file says now.
  case changed(String)
  /// The database was created by migrations before 0.1.0, which the present ones do not continue.
  case beforeFirstRelease
  /// The database has a migration that this program does not know.
  case unknownNewer(String)
  /// A migration failed and was rolled back; `line` is set if the server reported a position.
  case failed(name: String, line: Int, reason: String)
  /// A migration ended its own transaction.
  case endedTransaction(String)
  /// Processes of an older version run, which can't work with this migration.
  case olderProcesses(name: String, processes: [String])
  /// The database cannot be reached, or rejected another statement.
  case database(String)

  /// One or two sentences: the problem and its remedy.
  package var description: String {
    switch self {
    case .unreadable(let what): "The migrations cannot be read (\(what))."
    case .misnamed(let name):
      "\(name) is not a valid migration name: it must be four digits, _, lower-case words and .sql."
    case .numberTwice(let number): "Two migrations have the number \(number). Renumber one."
    case .gap(let missing, let name):
      "Migration \(missing) is missing before \(name). Numbers must be consecutive."
    case .changed(let name):
      "\(name) was changed after it had been applied. Restore it and write a new migration."
    case .beforeFirstRelease:
      """
      The database was created by a version before 0.1.0 and cannot be migrated. \
      Start with an empty state directory, or with empty databases on a server of your own.
      """
    case .unknownNewer(let name):
      "The database has \(name), which this program does not know. Use a newer program."
    case .failed(let name, let line, let reason):
      line > 0
        ? "\(name), line \(line), failed and was rolled back. \(reason)"
        : "\(name) failed and was rolled back. \(reason)"
    case .endedTransaction(let name):
      "\(name) ends its transaction. A migration must not contain COMMIT or ROLLBACK."
    case .olderProcesses(let name, let processes):
      """
      \(name) would break processes of an older version that run now: \
      \(processes.joined(separator: ", ")). Replace them (`trackme replace`) or stop them, then \
      migrate again.
      """
    case .database(let reason): reason
    }
  }
}
