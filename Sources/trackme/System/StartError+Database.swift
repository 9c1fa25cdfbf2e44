import Operations
import Postgres

extension StartError {
  /// A failure of a session with a database that is expected to run.
  init(databaseAway error: AdminSessionError) {
    switch error {
    case .notConnected: self.init("The database cannot be reached: does it run?")
    case .lost, .refused: self.init(error.description)
    }
  }
}
