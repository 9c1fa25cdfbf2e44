import Domain
import HTTP
import Postgres
import Services

extension ComparisonRoutes {
  /// Why somebody has no values of a type in a period of closed days.
  ///
  /// - Throws: 503.
  func ownMissing(
    _ type: DataType, of account: AccountID, in period: (from: Timestamp, to: Timestamp)
  ) async throws(ApplicationError) -> OwnMissing {
    let types = try await surroundings.database.row(TypesOfAccount(account: account))
    if let types, types.disabled.contains(type) { return .typeOff }
    guard let types, types.stored.contains(type) else { return .noData }
    let later = try await values(type, of: account, SamplePeriod(from: period.to, to: nil))
    return later.isEmpty ? .older : .dayNotClosed
  }
}

/// The types of which an account has samples, and those that are switched off. No row where nothing
/// was ever stored or switched off.
struct TypesOfAccount: Statement {
  struct Row: Sendable {
    let stored: DataTypeSet
    let disabled: DataTypeSet
  }
  static let sql: SQL<Self> = """
    SELECT stored_types, disabled_types
      FROM data4help.sample_accounts
     WHERE account_id = \(\.account)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}
