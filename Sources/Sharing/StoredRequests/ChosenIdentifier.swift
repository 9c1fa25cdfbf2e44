import Domain
import Postgres
import ServiceKit

/// The request that already has an identifier; single and group requests share one space of them.
package enum IdentifiedRequest {
  case single(SingleRequestRow)
  case group(GroupRequestRow)

  private init?(_ single: SingleRequestRow?, _ group: GroupRequestRow?) {
    if let single {
      self = .single(single)
    } else if let group {
      self = .group(group)
    } else {
      return nil
    }
  }

  /// The request of this identifier, if there is one.
  package static func find(
    _ requestID: DataRequestID, in database: Database
  ) async throws(ApplicationError) -> IdentifiedRequest? {
    IdentifiedRequest(
      try await database.row(RequestByID(requestID: requestID)),
      try await database.row(GroupRequestByID(requestID: requestID)))
  }

  /// Locks an identifier to the end of the transaction, and returns the request that has it.
  package static func hold(
    _ requestID: DataRequestID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> IdentifiedRequest? {
    let (_, single, group) = try await transaction.run(
      HoldIdentifier(requestID: requestID), RequestByID(requestID: requestID),
      GroupRequestByID(requestID: requestID))
    return IdentifiedRequest(single.first, group.first)
  }

  /// The error for a third party that chose the identifier for another request: `invalid` where the
  /// identifier belongs to another third party, `keyReused` if it is its own.
  package func refusal(to thirdParty: AccountID) -> ApplicationError {
    guard owner == thirdParty else {
      return .invalid("This reqID is in use; choose another.", field: "reqID")
    }
    return .identifierReused("reqID")
  }

  private var owner: AccountID {
    switch self {
    case .single(let row): row.thirdParty
    case .group(let row): row.thirdParty
    }
  }
}

/// Waits for and takes the lock on an identifier: later reads see the commits of its earlier
/// holders. No table is touched.
struct HoldIdentifier: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM pg_advisory_xact_lock(\(\.lockClass), \(\.number))
    """
  let lockClass = AdvisoryLockClass.identifier.rawValue
  let number: Int32

  init(requestID: DataRequestID) { number = requestID.lockNumber }
}

extension DataRequestID {
  /// The number of the identifier's advisory locks; identifiers that share it wait for each other
  /// needlessly.
  var lockNumber: Int32 {
    let folded = high ^ low
    return Int32(truncatingIfNeeded: folded ^ folded >> 32)
  }
}
