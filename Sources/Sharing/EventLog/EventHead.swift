import Domain
import Operations
import Postgres

/// The number of an account's last event.
struct EventHead: Sendable {
  let account: AccountID
  let last: Int64

  static let columns = Columns(EventHead.init)
}
