import Domain
import InternalAPI
import Postgres
import ServiceKit
import Time

/// Notifies the recipients of a person's data of changes to it.
package protocol DataRecipients: Sendable {
  /// Samples of these types, from one time until before another, were erased.
  ///
  /// Sequences stay locked to the end of the transaction: lock no rows of accounts afterwards.
  func erased(
    of account: AccountID, _ types: DataTypeSet, from: Instant?, to: Instant?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError)
  /// Samples of these types are unavailable, indefinitely or until a time.
  ///
  /// Sequences and the heads of notices stay locked to the end of the transaction: call this last.
  func unavailable(
    of account: AccountID, _ types: DataTypeSet, _ reason: UnavailableReason, until: Instant?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError)
  /// Delivers the samples of an account that are stored and not delivered yet if it is active, and
  /// excludes them from delivery if it is inactive.
  ///
  /// Locks requests and sequences until it returns: call this before a transaction that changes
  /// the state of the account, not within it.
  func relayStored(of account: AccountID, in database: Database) async throws(ApplicationError)
  /// Excludes the samples that an account stores while it is inactive from the subscriptions that
  /// are not paid yet, which have no delivery that could exclude them.
  ///
  /// Locks requests to the end of the transaction: call this after the state was changed in it.
  func hideFromUnpaid(
    of account: AccountID, isActive: Bool, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError)
  /// Wakes the streams of this process, after the transaction has committed.
  func announce()
}

extension DataRecipients {
  /// Samples of these types are unavailable indefinitely.
  package func unavailable(
    of account: AccountID, _ types: DataTypeSet, _ reason: UnavailableReason,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await unavailable(of: account, types, reason, until: nil, in: transaction)
  }
}

/// Why types are temporarily unavailable, as a number.
package enum UnavailableReason: Int16, PostgresValue {
  /// The person has switched the types off.
  case switchedOff = 1
  /// The person's account is inactive.
  case accountInactive = 2
  /// The person has paused the collection; the event says until when.
  case paused = 3

  /// The name in the API.
  package var apiName: String { unavailability.rawValue }

  /// The same without a number.
  package var unavailability: DataUnavailability {
    switch self {
    case .switchedOff: .switchedOff
    case .accountInactive: .accountInactive
    case .paused: .paused
    }
  }
}
