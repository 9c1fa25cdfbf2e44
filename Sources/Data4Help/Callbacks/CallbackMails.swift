import Delivery
import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services

/// Tells a third party by mail that its callback is switched off.
struct CallbackMails: Sendable {
  let surroundings: Surroundings
  let settings: AuthenticationSettings

  /// Queues the mail as part of this transaction; `announce` the queue after it committed.
  func tell(
    _ thirdParty: AccountID, _ reason: CallbackOffReason, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    guard let sealed = try await transaction.runOne(OwnEmail(account: thirdParty)) else { return }
    let key = try await surroundings.accountKeys.key(of: thirdParty)
    guard let address = MailAddress(try key.email(sealed, of: thirdParty)) else { return }
    try await surroundings.mails.enqueue(
      MailMessage(
        from: settings.sender, to: address, subject: "TrackMe: callback spento / switched off",
        text: """
          Il tuo callback non viene più chiamato. Quello che non ha ricevuto resta nella sequenza.
          Per riattivarlo, usa POST /req/tp/callback/resend oppure registralo di nuovo:
          \(settings.publicURL)

          ---

          Your callback is not called any more: \(reason.words).
          What it has not taken stays in your sequence. To switch it on again, call
          POST /req/tp/callback/resend, or register it anew: \(settings.publicURL)
          """, world: surroundings.world), of: MailTies(thirdParty), in: transaction)
  }
}
