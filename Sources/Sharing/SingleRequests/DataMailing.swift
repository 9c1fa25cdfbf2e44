import Accounts
import Domain
import EventLoop
import InternalAPI
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Sends the data of a request by mail to its third party (R24).
///
/// A file of up to 1 MiB is attached, and is recorded as delivered in the transaction that queues
/// the mail: both are stored or neither is. A mail about a larger file has a link: there the data
/// is streamed, checked and recorded as in any download, with the third party's token. The link
/// alone discloses nothing.
struct DataMailing: Sendable {
  let environment: Environment
  let accountKeys: AccountKeys
  let effects: IdempotentEffects
  let locales: AccountLocales
  let mailQueue: MailQueue
  let settings: AuthenticationSettings
  let singles: RequestDelivery
  let groups: any GroupRequestAnswers

  /// Queues the mail; once only under an `Idempotency-Key`.
  ///
  /// - Throws: `notFound` for an unknown request or another's, `conflict` for one without data to
  ///   deliver, `rateLimited` and `unavailable` as `DeliveryTurns.run`.
  func send(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let payload = try request.payload(MailDataBody.self)
    let response = try await singles.turns.run(for: identity.account) {
      () throws(ApplicationError) -> Response in
      try await effects.run(request, for: identity.account) {
        (transaction) throws(ApplicationError) in
        let recipient = try await recipient(of: identity.account, in: transaction)
        let bytes = try await bytes(payload, for: identity.account, in: transaction)
        let file = bytes.flatMap {
          MailAttachment(
            name: "\(payload.requestID).\(payload.format.suffix)",
            contentType: payload.format.contentType, bytes: $0)
        }
        let owner = MailOwner(identity.account, holding: file == nil ? nil : payload.requestID)
        try await mailQueue.enqueue(
          mail(payload, file, to: recipient), of: owner, in: transaction)
        return .json {
          $0.field("message", "Action successful")
          $0.field("sentAs", file == nil ? "link" : "attachment")
        }
      }
    }
    mailQueue.announce()
    return response
  }

  private func recipient(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> (address: MailAddress, locale: StoredLocale) {
    guard let row = try await transaction.runOne(MailRecipient(account: account)) else {
      throw .unauthenticated()
    }
    let key = try await accountKeys.key(of: account)
    guard let address = MailAddress(try key.email(row.sealedEmail, of: account)) else {
      throw .conflict("No mail can be sent to the address of this account.")
    }
    return (address, row.locale)
  }

  /// The file; nil if it is too long for a mail.
  private func bytes(
    _ payload: MailDataBody, for thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [UInt8]? {
    let requestID = payload.requestID
    let released = try await groups.newest(
      requestID, for: thirdParty, payload.format.rawValue, in: transaction)
    if let released { return released }
    let now = environment.now().flooredToMilliseconds
    return try await singles.mailed(
      requestID, to: thirdParty, bytesMax: MailAttachment.bytesMax, in: transaction
    ) { batch in
      switch payload.format {
      case .json: RequestDelivery.document(batch, of: requestID)
      case .csv: CSVDownload().whole(batch.samples)
      case .ndjson: NDJSONDownload().whole(batch.samples)
      case .fhir: FHIRDownload(requestID, at: now).whole(batch.samples)
      }
    }
  }

  private func mail(
    _ payload: MailDataBody, _ file: MailAttachment?,
    to recipient: (address: MailAddress, locale: StoredLocale)
  ) -> MailMessage {
    let link =
      "\(settings.publicURL)/req/tp/data?reqID=\(payload.requestID)&format=\(payload.format)"
    let (italian, english) =
      file == nil
      ? (
        "Il file è troppo grande per la posta. Si scarica con il token dell'azienda:\n\(link)",
        "The file is too large for a mail. Download it with the company's token:\n\(link)"
      )
      : ("Il file è allegato.", "The file is attached.")
    let mail = ReaderMail(
      italian: MailText(
        subject: "TrackMe: dati richiesti", text: "Richiesta \(payload.requestID).\n\(italian)\n"),
      english: MailText(
        subject: "TrackMe: data you asked for",
        text: "Request \(payload.requestID).\n\(english)\n"))
    let text = locales.text(of: mail, for: recipient.locale)
    return MailMessage(
      from: settings.sender, to: recipient.address, subject: text.subject, text: text.text,
      attachment: file, environment: environment
    )
  }
}

extension MailDataBody.Format {
  fileprivate var contentType: String {
    switch self {
    case .json: "application/json"
    case .csv: CSVDownload.contentType
    case .ndjson: NDJSONDownload.contentType
    case .fhir: FHIRDownload.contentType
    }
  }

  /// The extension of the file's name, without the dot.
  fileprivate var suffix: String {
    switch self {
    case .json: "json"
    case .csv: CSVDownload.suffix
    case .ndjson: NDJSONDownload.suffix
    case .fhir: FHIRDownload.suffix
    }
  }
}
