import Domain
import Postgres
import ServiceKit
import Time

/// `ConsentProof` for many requests at once: these people currently consent that these third
/// parties receive their data (R14). Every delivery of a sequence (reading, stream, callback) needs
/// one.
///
/// Only the check creates it, and it does not outlive the check's transaction, which locks the
/// requests so that they cannot end meanwhile.
struct ConsentProofs: ~Copyable {
  /// The part of an account's samples that a request covers.
  struct Reach: Sendable {
    let account: AccountID
    /// The third party that the person consented to.
    let thirdParty: AccountID
    let from: Instant?
    let to: Instant?
    let types: DataTypeSet
  }

  private var rows: [DataRequestID: SingleRequestRow] = [:]
  private var reaches: [DataRequestID: Reach] = [:]

  private init() {}

  /// Checks which of these requests permit a delivery now. Requests that are unknown, not accepted
  /// or ended by the person have no reach.
  static func check(
    _ requestIDs: [DataRequestID], at now: Instant, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ConsentProofs {
    var proofs = ConsentProofs()
    guard !requestIDs.isEmpty else { return proofs }
    let held = try await transaction.run(HoldRequestsForDelivery(requestIDs: requestIDs))
    for row in held {
      proofs.rows[row.requestID] = row
      guard let coverage = try row.request().coverage(at: now.flooredToMilliseconds) else {
        continue
      }
      proofs.reaches[row.requestID] = Reach(
        account: row.account, thirdParty: row.thirdParty, from: coverage.from, to: coverage.to,
        types: coverage.types)
    }
    return proofs
  }

  /// The request in this recipient's sequence; nil if it is unknown or belongs to another
  /// recipient.
  func request(_ requestID: DataRequestID, of recipient: AccountID) -> SingleRequestRow? {
    rows[requestID].flatMap { $0.recipient == recipient ? $0 : nil }
  }

  /// The reach of such a request; nil if no data may be delivered.
  func reach(_ requestID: DataRequestID, of recipient: AccountID) -> Reach? {
    request(requestID, of: recipient) == nil ? nil : reaches[requestID]
  }
}
