import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// That a person lets this third party have data at this moment (R14): what a delivery reads, and
/// nothing else, needs one.
///
/// It comes from the check alone and lives no longer than the check's transaction, which holds the
/// request against its end; who has one writes the record of accesses in the same transaction.
struct ConsentProof: ~Copyable {
  /// The accepted request.
  let requestID: DataRequestID
  /// Who may read.
  let thirdParty: AccountID
  /// Whose data.
  let account: AccountID
  /// The time from which on samples are reached; nil for the beginning.
  let from: Timestamp?
  /// The time before which samples are reached.
  let to: Timestamp?
  /// The types that were accepted.
  let types: DataTypeSet
  /// Whether more may enter the third party's sequence.
  let isLive: Bool

  private init(_ row: SingleRequestRow, _ coverage: RequestCoverage) {
    requestID = row.requestID
    thirdParty = row.thirdParty
    account = row.account
    from = coverage.from
    to = coverage.to
    types = coverage.types
    // The relay enters what is left when it ends a subscription, hence the row and not the clock.
    isLive = row.isSubscribing && row.status == .accepted
  }

  /// Checks that data of this request may be handed out now.
  ///
  /// - Throws: 404 for a request that is unknown or another's, 402 for one that was not paid, 409
  ///   for one that was not accepted, that the user ended, or that ended before it was paid.
  static func check(
    _ requestID: DataRequestID, of thirdParty: AccountID, at now: WallTime,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ConsentProof {
    let hold = HoldRequestForDelivery(requestID: requestID, thirdParty: thirdParty)
    guard let row = try await transaction.runOne(hold) else { throw .notFound }
    var request = try row.request()
    request.settle(now: now.timestamp)
    if request.status == .paymentDue { throw .paymentDue(row.priceCents) }
    guard let coverage = request.coverage(at: now.timestamp) else {
      throw .conflict("The request was not accepted, has no data, or the user ended it.")
    }
    // What a request gives is entered when it is paid.
    if row.priceCents > 0, request.status == .ended,
      try await transaction.run(LogEntries(requestID: requestID, from: 1, countMax: 1)).isEmpty
    {
      throw .conflict("The request ended before it was paid.")
    }
    return ConsentProof(row, coverage)
  }
}
