import Domain
import Services

/// The words of an invitation to a run (RUN-10), in Italian and English.
///
/// Chosen names are part of a mail to strangers: a web address in them is taken apart, so that no
/// program makes a link of it.
package struct InvitationText {
  /// What the run is called.
  package let runName: String
  /// When it begins.
  package let startsAt: Timestamp
  /// Who invites: a company's name, or how a runner wants to be called.
  package let inviter: String
  /// The page of the run.
  package let link: String

  /// An invitation of these words.
  package init(runName: String, startsAt: Timestamp, inviter: String, link: String) {
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

          You get this message once for this run; if it is not for you, ignore it.
          """))
  }
}
