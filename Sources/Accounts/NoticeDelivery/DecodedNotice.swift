import Cryptography
import Domain
import JSON
import Operations
import ServiceKit
import Time

/// A stored notice, opened, with the facts for its text.
///
/// A notice that can't be opened or decoded is logged with its account, its number and the cause.
/// Others are not affected by it.
package struct DecodedNotice: Sendable {
  /// The stage in a notice of silence, which belongs to no emergency.
  package static let silentStage = "silent"

  /// The account that it notifies.
  package let account: AccountID
  let number: Int64
  let kind: NoticeKind
  /// The JSON object that was sealed.
  let payload: [UInt8]
  /// Nil for a payload that can't be decoded.
  private let facts: NoticeFacts?
  private let log: Log

  private init(
    _ payload: [UInt8], _ kind: NoticeKind, _ number: Int64, of account: AccountID, log: Log
  ) {
    self.account = account
    self.number = number
    self.kind = kind
    self.payload = payload
    self.log = log
    facts = Self.facts(of: payload, account, number, log)
  }

  private static func facts(
    of payload: [UInt8], _ account: AccountID, _ number: Int64, _ log: Log
  ) -> NoticeFacts? {
    do throws(JSONError) { return try JSONReader.read(NoticeFacts.self, from: payload) } catch {
      let cause = ApplicationError(.internalError, cause: error.description)
      log.failure(
        "decode notice failed", cause, .number("account_id", account.rawValue),
        .number("number", number))
      return nil
    }
  }

  /// Opens a notice; nil if it was not sealed for this account and number, which is logged.
  package static func open(
    _ sealed: [UInt8], _ kind: NoticeKind, _ number: Int64, of account: AccountID,
    with key: SealingKey, log: Log
  ) -> DecodedNotice? {
    do throws(CryptographyError) {
      let payload = try key.open(sealed.span, for: Notices.context(account, number))
      return DecodedNotice(payload, kind, number, of: account, log: log)
    } catch {
      log.failure(
        "open notice failed", error, .number("account_id", account.rawValue),
        .number("number", number))
      return nil
    }
  }

  /// The request that the notice is about, which is looked up for each reader.
  package var requestID: DataRequestID? {
    kind == .request || kind == .ended ? facts?.requestID : nil
  }

  /// Whether the person was asked for an answer.
  var isQuestion: Bool {
    kind == .request && facts?.texts["status"] == SingleRequestStatus.pending.rawValue
  }

  /// The emergency that an alarm is about; nil for an alarm of silence.
  var emergencyID: String? { kind == .alarm ? facts?.texts["episodeID"] : nil }

  /// The notice's request among these; nil for a missing one, or one of another person.
  package func request(in found: [DataRequestID: NoticeRequest]) -> NoticeRequest? {
    guard let requestID, let request = found[requestID], request.single.singleUser == account
    else { return nil }
    return request
  }

  /// Writes the JSON object for lists and streams, as the last of the open fields. A request is
  /// written in its present state.
  func write(about request: NoticeRequest?, to writer: inout JSONWriter) {
    guard kind == .request else { return writer.raw("data", payload) }
    writer.object("data") { writer in
      if let request {
        request.write(to: &writer)
      } else {
        writer.fieldIfPresent("reqID", requestID?.description)
      }
    }
  }

  /// The request that the payload names, for the address of a page.
  var statedRequestID: DataRequestID? { facts?.requestID }

  /// The event that the payload names, for the address of a page.
  var statedEvent: String? { facts?.texts["event"] }

  /// The text for a reader at this moment, with the present state of its request; only the text of
  /// the kind for a notice that can't be decoded, or whose request can't be read.
  package func text(
    for locale: ReaderLocale, about request: NoticeRequest?, at now: Instant,
    in medium: NoticeMedium = .page
  ) -> String {
    guard let facts, kind != .request || request != nil else {
      return kind.text(in: locale.language)
    }
    let text = NoticeText(
      kind: kind, facts: facts, locale: locale, now: now, request: request, medium: medium
    ).text
    if let text { return text }
    log.error(
      "describe notice failed",
      [
        .number("account_id", account.rawValue), .number("number", number),
        .constant("cause", "unknown event, stage or status"),
      ])
    return kind.text(in: locale.language)
  }
}
