import Domain
import Postgres
import Time

/// The types that an account has switched off, as bits, and the end of its pause (DAT-8).
package struct ChosenTypes: Statement {
  /// The choice of an account.
  package struct Row: Sendable {
    /// The types that are off, as bits.
    package let disabled: Int64
    let pausedUntil: Instant?
  }
  package static let sql: SQL<Self> = """
    SELECT disabled_types, paused_until FROM sample_accounts WHERE account_id = \(\.account)
    """
  package static let columns = Columns(Row.init)
  let account: AccountID

  /// Reads the choice of an account.
  package init(account: AccountID) {
    self.account = account
  }
}

/// Switches types on and off.
struct ChooseTypes: Statement {
  static let sql: SQL<Self> = """
    UPDATE sample_accounts
       SET disabled_types = (disabled_types & ~(\(\.on)::int8)) | \(\.off)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let on: Int64
  let off: Int64
}
