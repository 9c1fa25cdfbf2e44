import Accounts
import Domain
import EventLoop
import InternalAPI
import Mail
import Postgres
import ServiceKit

/// Notifies a third party by mail that its callback was switched off.
struct CallbackMails: Sendable {
  let environment: Environment
  let accountKeys: AccountKeys
  let locales: AccountLocales
  let mailQueue: MailQueue
  let settings: AuthenticationSettings

  /// Queues the mail as part of this transaction; `announce` the queue after the commit.
  func notify(
    _ thirdParty: AccountID, _ reason: CallbackOffReason,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let row = try await transaction.runOne(MailRecipient(account: thirdParty)) else { return }
    let key = try await accountKeys.key(of: thirdParty)
    guard let address = MailAddress(try key.email(row.sealedEmail, of: thirdParty)) else { return }
    let mail = ReaderMail(
      italian: MailText(
        subject: "TrackMe: callback spento",
        text: """
          Il tuo callback non viene più chiamato: \(reason.text(in: .italian)).
          Quello che non ha ricevuto resta nella sequenza. Per riattivarlo, usa
          POST /req/tp/callback/resend oppure registralo di nuovo:
          \(settings.publicURL)
          """),
      english: MailText(
        subject: "TrackMe: callback switched off",
        text: """
          Your callback is no longer called: \(reason.text(in: .english)).
          Events that it has not received stay in your sequence. To switch it on again, call
          POST /req/tp/callback/resend, or register it anew:
          \(settings.publicURL)
          """))
    let text = locales.text(of: mail, for: row.locale)
    try await mailQueue.enqueue(
      MailMessage(
        from: settings.sender, to: address, subject: text.subject, text: text.text,
        environment: environment), of: MailOwner(thirdParty), in: transaction)
  }
}
