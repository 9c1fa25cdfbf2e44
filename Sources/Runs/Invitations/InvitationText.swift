import Domain
import InternalAPI
import ServiceKit
import Time

/// The text of an invitation to a run (RUN-10), in Italian and English.
///
/// Chosen names are part of a mail to strangers: web addresses in them are broken up, so that no
/// mail program turns them into links.
package struct InvitationText {
  /// The name of the run.
  package let runName: String
  /// The start of the run.
  package let startsAt: Instant
  /// The sender's name: a company's, or the one chosen by a runner.
  package let inviter: String
  /// The URL of the run's page.
  package let link: String

  /// Creates an invitation from its parts.
  package init(runName: String, startsAt: Instant, inviter: String, link: String) {
    self.runName = runName
    self.startsAt = startsAt
    self.inviter = inviter
    self.link = link
  }

  /// The mail.
  package var mail: ReaderMail {
    let (run, inviter, time) = (
      runName.unlinked.quotable, inviter.unlinked, ReaderMail.marked(startsAt)
    )
    return ReaderMail(
      italian: MailText(
        subject: "TrackMe: invito a una corsa",
        text: """
          \(inviter) ti invita alla corsa “\(run)” del \(time).
          Qui trovi il percorso, e come iscriverti o guardarla:

          \(link)

          Ricevi questo messaggio una volta sola per questa corsa; se non ti interessa, ignoralo.
          """),
      english: MailText(
        subject: "TrackMe: invitation to a run",
        text: """
          \(inviter) invites you to the run “\(run)” of \(time).
          Its path, and how to join or to watch it, are here:

          \(link)

          You receive this message only once for this run; if you are not interested, ignore it.
          """))
  }
}
