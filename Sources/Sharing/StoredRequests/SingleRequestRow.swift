import Bytes
import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

/// A single request as stored.
package struct SingleRequestRow: Sendable {
  /// The identifier of the request, its third party and its person.
  package let requestID: DataRequestID
  package let thirdParty: AccountID
  package let account: AccountID
  let sealedAddressee: [UInt8]
  let isByEmail: Bool
  let types: DataTypeSet
  let isSubscribing: Bool
  let duration: RequestDuration?
  let fromTime: Int64?
  let toTime: Int64?
  /// The status as stored, even after its deadline.
  package let status: StoredStatus
  let createdAt: Instant
  let answerBy: Instant
  let answeredAt: Instant?
  let acceptedTypes: DataTypeSet?
  let endsAt: Instant?
  let endedAt: Instant?
  let endReason: StoredEndReason?
  let relayedSequence: Int64?
  /// The time since which the person has had the third party on the list, if the list accepted the
  /// request (REQ-3).
  let trustedAt: Instant?
  /// Its price when it was sent, in cents (REQ-7).
  let priceCents: Int64
  /// Whether Track4Run has sent it on behalf of the organiser of a run (R39).
  package let isCheckIn: Bool

  /// The columns in the order of the properties.
  package static let columnList: StaticString = """
    request_id, third_party_id, account_id, sealed_addressee, is_by_email, types, is_subscribing,
           duration_seconds, from_ts, to_ts, status, created_at, answer_by, answered_at,
           accepted_types, ends_at, ended_at, end_reason, relayed_seq, trusted_at,
           price_cents, is_check_in
    """
  package static let columns = Columns(SingleRequestRow.init)

  /// The request, as it was stored.
  ///
  /// - Throws: `internalError` for a row that contradicts itself.
  package func request() throws(ApplicationError) -> SingleRequest {
    guard let state else {
      throw .internalError(because: "A row of single_requests contradicts itself.")
    }
    return SingleRequest(
      stored: requestID, for: purpose, thirdParty: thirdParty, singleUser: account, terms: terms,
      createdAt: createdAt.flooredToMilliseconds, expiresAt: answerBy.flooredToMilliseconds,
      state: state)
  }

  /// The status in the response to its sending, which a repetition gets as well.
  var statusWhenSent: SingleRequestStatus {
    guard trustedAt != nil else { return .pending }
    if endReason == .noData { return .ended }
    return priceCents > 0 ? .paymentDue : .accepted
  }

  private var purpose: SingleRequestPurpose { isCheckIn ? .checkIn : .data }

  /// The recipient in whose sequence its data is entered.
  package var recipient: AccountID { purpose.recipient(askedBy: thirdParty) }

  /// The requested terms.
  var terms: SingleRequestTerms {
    SingleRequestTerms(
      stored: types, subscribing: isSubscribing,
      duration: duration,
      from: fromTime.map(Instant.init(millisecondsSince1970:)),
      to: toTime.map(Instant.init(millisecondsSince1970:)))
  }

  private var state: SingleRequest.State? {
    switch status {
    case .pending: .pending
    case .expired: .expired(answerBy.flooredToMilliseconds)
    case .declined: answeredAt.map { .declined($0.flooredToMilliseconds) }
    case .accepted: acceptance.map { .accepted($0) }
    case .paymentDue: acceptance.map { .paymentDue($0) }
    case .ended:
      if let endedAt, let endReason, let acceptance {
        .ended(endedAt.flooredToMilliseconds, endReason.reason, acceptance)
      } else {
        nil
      }
    }
  }

  private var acceptance: SingleRequest.Acceptance? {
    guard let answeredAt, let acceptedTypes, let relayedSequence else { return nil }
    return SingleRequest.Acceptance(
      time: answeredAt.flooredToMilliseconds, types: acceptedTypes,
      endsAt: endsAt?.flooredToMilliseconds,
      nextSequence: relayedSequence + 1)
  }
}

/// The email or fiscal code in a third party's request, sealed under its own key.
enum SealedAddressee {
  static func seal(
    _ addressee: SingleRequestAddressee, of request: DataRequestID, with key: SealingKey
  ) -> [UInt8] {
    key.seal(addressee.text, for: context(request))
  }

  /// - Throws: `internalError` if it was sealed for another request or by another key.
  static func open(_ row: SingleRequestRow, with key: SealingKey) throws(ApplicationError) -> String
  {
    guard !row.sealedAddressee.isEmpty else { return CompanyName.ofDeletedAccounts }
    return try mapStorageError { () throws(CryptographyError) in
      try key.openText(row.sealedAddressee.span, for: context(row.requestID))
    }
  }

  private static func context(_ request: DataRequestID) -> SealContext {
    SealContext(
      table: "single_requests", column: "sealed_addressee",
      row: SealRow(UniversalID(high: request.high, low: request.low)))
  }
}

extension SingleRequestAddressee {
  /// The email or the fiscal code.
  var text: String {
    switch self {
    case .email(let email): email.text
    case .fiscalCode(let code): code.text
    }
  }

  var isEmail: Bool {
    switch self {
    case .email: true
    case .fiscalCode: false
    }
  }
}
