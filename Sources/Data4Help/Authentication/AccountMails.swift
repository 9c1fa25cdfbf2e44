import Delivery
import Domain
import EventLoop
import Privacy
import Services

/// The mails about accounts, in Italian and English, in plain ASCII so that links stay whole.
struct AccountMails {
  private let settings: AuthenticationSettings
  private let world: World

  init(_ settings: AuthenticationSettings, _ world: World) {
    self.settings = settings
    self.world = world
  }

  /// The mail with the link that activates an account (ACC-1); nil for an address that can't be
  /// mailed to.
  func activation(to email: EmailAddress, token: IssuedToken, until: WallTime) -> MailMessage? {
    let link = "\(settings.publicURL)/auth/activ?activToken=\(token.text)"
    let time = Timestamp(millisecondsSince1970: until.millisecondsSince1970 / 60_000 * 60_000)
    return mail(
      to: email, subject: "TrackMe: attiva il tuo account / activate your account",
      text: """
        Benvenuto in TrackMe.
        Per attivare il tuo account apri questo indirizzo entro il \(time):

        \(link)

        Se non hai chiesto tu un account, ignora questo messaggio: senza l'attivazione
        la registrazione scade da sola.

        ---

        Welcome to TrackMe.
        To activate your account, open this address before \(time):

        \(link)

        If it was not you who asked for an account, ignore this message: without the
        activation the registration runs out by itself.
        """)
  }

  /// The mail that tells of three wrong passwords in a row (ACC-7).
  func wrongPasswords(to email: EmailAddress) -> MailMessage? {
    let time = world.now().timestamp
    return mail(
      to: email, subject: "TrackMe: password errata / wrong password",
      text: """
        Qualcuno ha provato ad accedere al tuo account TrackMe con una password errata
        per \(LoginSlowdown.freeAttempts) volte di seguito, l'ultima il \(time).
        Da adesso i tentativi sono rallentati. Se eri tu, aspetta un momento e riprova.
        Se non eri tu, nessuno ha avuto accesso; scegli comunque una password lunga.

        ---

        Somebody tried to log in to your TrackMe account with a wrong password
        \(LoginSlowdown.freeAttempts) times in a row, last at \(time).
        From now on attempts are slowed down. If it was you, wait a moment and try again.
        If it was not you, nobody got in; choose a long password all the same.
        """)
  }

  private func mail(to email: EmailAddress, subject: String, text: String) -> MailMessage? {
    MailAddress(email.text).map {
      MailMessage(from: settings.sender, to: $0, subject: subject, text: text, world: world)
    }
  }
}
