import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// `ConsentProof` for many requests at once: that these people let these third parties have data at
/// this moment (R14). What is delivered without being asked for needs one.
///
/// It comes from the check alone and lives no longer than the check's transaction, which holds the
/// requests against their ends.
struct ConsentProofs: ~Copyable {
  /// What of an account's samples a request reaches.
  struct Reach: Sendable {
    let account: AccountID
    /// Who has it by the person's consent.
    let thirdParty: AccountID
    let from: Timestamp?
    let to: Timestamp?
    let types: DataTypeSet
  }

  private var rows: [DataRequestID: SingleRequestRow] = [:]
  private var reaches: [DataRequestID: Reach] = [:]

  private init() {}

  /// Checks which of these requests data may be handed out for now; unknown ones, and those that
  /// were not accepted or that the user ended, have no reach.
  static func check(
    _ requestIDs: [DataRequestID], at now: WallTime, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ConsentProofs {
    var proofs = ConsentProofs()
    guard !requestIDs.isEmpty else { return proofs }
    let held = try await transaction.run(HoldRequestsForDelivery(requestIDs: requestIDs))
    for row in held {
      proofs.rows[row.requestID] = row
      guard let coverage = try row.request().coverage(at: now.timestamp) else { continue }
      proofs.reaches[row.requestID] = Reach(
        account: row.account, thirdParty: row.thirdParty, from: coverage.from, to: coverage.to,
        types: coverage.types)
    }
    return proofs
  }

  /// The request that stands in this recipient's sequence; nil for an unknown one or another's.
  func request(_ requestID: DataRequestID, of recipient: AccountID) -> SingleRequestRow? {
    rows[requestID].flatMap { $0.recipient == recipient ? $0 : nil }
  }

  /// What such a request reaches; nil where nothing may be handed out.
  func reach(_ requestID: DataRequestID, of recipient: AccountID) -> Reach? {
    request(requestID, of: recipient) == nil ? nil : reaches[requestID]
  }
}
