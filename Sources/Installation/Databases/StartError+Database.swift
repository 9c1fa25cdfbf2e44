import Operations
import Postgres

extension StartError {
  /// The error of a session with a database that should be running.
  package init(databaseUnavailable error: AdminSessionError) {
    switch error {
    case .notConnected: self.init("The database cannot be reached: is it running?")
    case .lost, .refused: self.init(error.description)
    }
  }
}
