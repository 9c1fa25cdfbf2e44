import Domain
import HealthRecords
import Postgres
import ServiceKit
import Time

extension ComparisonRoutes {
  /// Why a person has no values of a type in a period of closed days.
  ///
  /// - Throws: `unavailable`.
  func missingReason(
    _ type: DataType, of account: AccountID, in period: (from: Instant, to: Instant)
  ) async throws(ApplicationError) -> MissingValuesReason {
    let types = try await database.row(TypesOfAccount(account: account))
    if let types, types.disabled.contains(type) { return .typeOff }
    guard let types, types.stored.contains(type) else { return .noData }
    let later = try await values(type, of: account, SamplePeriod(from: period.to, to: nil))
    return later.isEmpty ? .older : .dayNotClosed
  }
}

/// The types with samples of an account, and the types it has switched off. No row if the account
/// never stored a sample or switched a type.
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
