import Domain
import Postgres

// The enumerations of accounts as stored in columns.

/// The state of an account.
package enum AccountState: Int16, PostgresValue {
  /// Not activated: the link has not been followed yet (ACC-1).
  case registered = 1
  /// In use.
  case active = 2
  /// Deactivated by its single user: searches do not find it (ACC-9).
  case inactive = 3
}

extension Sex: PostgresValue {}
