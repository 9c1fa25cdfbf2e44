import Domain
import Postgres

// How the words of accounts stand in columns.

/// Where an account stands.
enum AccountState: Int16, PostgresValue {
  /// Waits for its link to be followed (ACC-1).
  case registered = 1
  /// In use.
  case active = 2
  /// Switched off by its single user: nobody finds it (ACC-9).
  case inactive = 3
}

extension Sex: PostgresValue {}
