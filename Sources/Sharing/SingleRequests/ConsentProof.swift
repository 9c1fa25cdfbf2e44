import Domain
import Postgres
import ServiceKit
import Time

/// Proof that a person allows this third party to have data at this moment (R14). Each download and
/// mail of a request requires it; sequences require `ConsentProofs`.
///
/// Only the check creates it, and it lives no longer than the check's transaction, which blocks the
/// end of the request; its owner writes the record of accesses in the same transaction.
struct ConsentProof: ~Copyable {
  /// The accepted request.
  let requestID: DataRequestID
  /// The recipient.
  let thirdParty: AccountID
  /// The owner of the data.
  let account: AccountID
  /// The earliest time of readable samples; nil for the beginning.
  let from: Instant?
  /// The end of their times, excluded.
  let to: Instant?
  /// The types that were accepted.
  let types: DataTypeSet
  /// Whether further samples may enter the third party's sequence.
  let isLive: Bool

  private init(_ row: SingleRequestRow, _ coverage: RequestCoverage) {
    requestID = row.requestID
    thirdParty = row.thirdParty
    account = row.account
    from = coverage.from
    to = coverage.to
    types = coverage.types
    // The row decides and not the clock: the relay enters the last samples before it ends a
    // subscription.
    isLive = row.isSubscribing && row.status == .accepted
  }

  /// Checks that data of this request may be delivered now.
  ///
  /// - Throws: `notFound` for a request that is unknown or another's, `paymentDue` for an unpaid
  ///   one, `conflict` for one that was not accepted, that the person ended, or that ended before
  ///   its payment.
  static func check(
    _ requestID: DataRequestID, of thirdParty: AccountID, at now: Instant,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ConsentProof {
    let (_, held) = try await transaction.run(
      WaitForEnds(requestID: requestID),
      HoldRequestForDelivery(requestID: requestID, thirdParty: thirdParty))
    guard let row = held.first else { throw .notFound }
    var request = try row.request()
    request.settle(now: now.flooredToMilliseconds)
    if request.status == .paymentDue { throw .paymentDue(row.priceCents) }
    guard let coverage = request.coverage(at: now.flooredToMilliseconds) else {
      throw .conflict("The request was not accepted, has no data, or the user ended it.")
    }
    // The data of a priced request is entered when it is paid.
    if row.priceCents > 0, request.status == .ended,
      try await transaction.run(LogEntries(requestID: requestID, from: 1, countMax: 1)).isEmpty
    {
      throw .conflict("The request ended before it was paid.")
    }
    return ConsentProof(row, coverage)
  }
}
