import Cryptography
import Domain
import EventLoop
import InternalAPI
import Mail
import ServiceKit
import Time

/// The mails about accounts, in the language of the account, or in both languages before one is
/// chosen (NTF-3). Mails with a link avoid accented letters: in plain ASCII the link stays whole,
/// even in a reader that shows the raw message.
struct AccountMails {
  private let environment: Environment
  private let locales: AccountLocales
  private let settings: AuthenticationSettings

  init(environment: Environment, locales: AccountLocales, _ settings: AuthenticationSettings) {
    self.environment = environment
    self.locales = locales
    self.settings = settings
  }

  /// The mail with the link that activates an account (ACC-1); nil if no mail can be sent to the
  /// address.
  func activation(
    to email: EmailAddress, _ reader: StoredLocale, token: IssuedToken, until: Instant
  ) -> MailMessage? {
    let link = "\(settings.publicURL)/auth/activ?activToken=\(token.text)"
    let time = ReaderMail.marked(until)
    return mail(
      to: email, reader,
      italian: MailText(
        subject: "TrackMe: attiva il tuo account",
        text: """
          Benvenuto in TrackMe.
          Per attivare il tuo account apri questo indirizzo entro il \(time):

          \(link)

          Se non hai richiesto un account, ignora questo messaggio: senza l'attivazione
          la registrazione scade da sola.
          """),
      english: MailText(
        subject: "TrackMe: activate your account",
        text: """
          Welcome to TrackMe.
          To activate your account, open this address before \(time):

          \(link)

          If you did not request an account, ignore this message: without the
          activation the registration expires by itself.
          """))
  }

  /// The mail that asks a parent to confirm the registration of a child (ACC-13).
  func parentsConfirmation(
    to parent: EmailAddress, of child: EmailAddress, token: IssuedToken, until: Instant
  ) -> MailMessage? {
    let link = "\(settings.publicURL)/auth/activ?activToken=\(token.text)"
    let time = ReaderMail.marked(until)
    return mail(
      to: parent, StoredLocale(),
      italian: MailText(
        subject: "TrackMe: conferma di un genitore",
        text: """
          Una persona di meno di 14 anni ha richiesto un account TrackMe con l'indirizzo
          \(child.text.unlinked) e ti ha indicato come genitore. Se acconsenti, apri questo
          indirizzo entro il \(time):

          \(link)

          Senza la tua conferma l'account non funziona e la registrazione scade da sola.
          """),
      english: MailText(
        subject: "TrackMe: a parent's confirmation",
        text: """
          A person under 14 has requested a TrackMe account with the address
          \(child.text.unlinked) and named you as a parent. If you consent, open this address
          before \(time):

          \(link)

          Without your confirmation the account does not work, and the registration
          expires by itself.
          """))
  }

  /// The mail with the link that resets a password (ACC-6).
  func passwordReset(
    to email: EmailAddress, _ reader: StoredLocale, token: IssuedToken, until: Instant
  ) -> MailMessage? {
    let link = "\(settings.publicURL)/auth/password/reset?token=\(token.text)"
    let time = ReaderMail.marked(until)
    return mail(
      to: email, reader,
      italian: MailText(
        subject: "TrackMe: nuova password",
        text: """
          È stata richiesta una nuova password per il tuo account TrackMe.
          Se eri tu, scegline una con questo indirizzo, una volta sola, entro il \(time):

          \(link)

          Se non eri tu, ignora questo messaggio: la tua password non cambia.
          """),
      english: MailText(
        subject: "TrackMe: new password",
        text: """
          A new password for your TrackMe account was requested.
          If it was you, choose one with this address, once, before \(time):

          \(link)

          If it was not you, ignore this message: your password does not change.
          """))
  }

  /// The mail that reports a changed password (ACC-6).
  func passwordChanged(
    to email: EmailAddress, _ reader: StoredLocale, endsKeysAndDevices: Bool
  ) -> MailMessage? {
    let time = ReaderMail.marked(environment.now())
    let (italian, english) =
      endsKeysAndDevices
      ? (
        "\nChiavi API e dispositivi non valgono più: creane e abbinane di nuovi.",
        "\nAPI keys and devices are no longer valid: create and pair new ones."
      ) : ("", "")
    return mail(
      to: email, reader,
      italian: MailText(
        subject: "TrackMe: password cambiata",
        text: """
          La password del tuo account TrackMe è stata cambiata il \(time).\(italian)
          Se non eri tu, richiedi subito una nuova password.
          """),
      english: MailText(
        subject: "TrackMe: password changed",
        text: """
          The password of your TrackMe account was changed at \(time).\(english)
          If it was not you, request a new password at once.
          """))
  }

  /// The mail that reports three consecutive wrong passwords (ACC-7).
  func wrongPasswords(to email: EmailAddress, _ reader: StoredLocale) -> MailMessage? {
    let time = ReaderMail.marked(environment.now())
    return mail(
      to: email, reader,
      italian: MailText(
        subject: "TrackMe: password errata",
        text: """
          Qualcuno ha provato ad accedere al tuo account TrackMe con una password errata
          per \(LoginSlowdown.freeAttempts) volte di seguito, l'ultima il \(time).
          Da adesso i tentativi sono rallentati. Se eri tu, aspetta un momento e riprova.
          Se non eri tu, nessuno ha avuto accesso; scegli comunque una password lunga.
          """),
      english: MailText(
        subject: "TrackMe: wrong password",
        text: """
          There were attempts to log in to your TrackMe account with a wrong password,
          \(LoginSlowdown.freeAttempts) times in a row, the last one at \(time).
          From now on attempts are slowed down. If it was you, wait a moment and try again.
          If it was not you: no attempt succeeded, but choose a long password.
          """))
  }

  private func mail(
    to email: EmailAddress, _ reader: StoredLocale, italian: MailText, english: MailText
  ) -> MailMessage? {
    let mail = ReaderMail(italian: italian, english: english)
    let text = locales.text(of: mail, for: reader)
    return MailAddress(email.text).map {
      MailMessage(
        from: settings.sender, to: $0, subject: text.subject, text: text.text,
        environment: environment)
    }
  }
}
