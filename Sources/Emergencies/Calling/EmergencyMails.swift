import Accounts
import AutomatedSOS
import Domain
import EventLoop
import Mail
import ServiceKit
import Time

/// The mails of an emergency to hospitals, in addition to their sequences (SOS-5), and the
/// all-clear. Each is deleted with the person's account.
struct EmergencyMails: Sendable {
  let environment: Environment
  let sender: MailAddress

  /// A mail to an address; nil if no mail can be sent to it.
  func mail(
    _ address: String, _ text: ContactText, of account: AccountID
  ) -> (MailMessage, of: MailOwner)? {
    guard let address = MailAddress(address) else { return nil }
    return (
      MailMessage(
        from: sender, to: address, subject: text.subject, text: text.text,
        environment: environment),
      of: MailOwner(account)
    )
  }

  /// The all-clear to all recipients of the emergency.
  func over(
    _ row: EmergencyRow, _ name: String, _ locale: ReaderLocale, at time: Instant
  ) -> ContactText {
    let (person, end) = (name.unlinked, Self.end(row, locale.language))
    let moment = locale.moment(time)
    return switch locale.language {
    case .italian:
      ContactText(
        subject: "TrackMe: cessato allarme",
        text: "L'emergenza di \(person) (\(row.id)) è finita il \(moment): \(end).\n")
    case .english:
      ContactText(
        subject: "TrackMe: all clear",
        text: "The emergency of \(person) (\(row.id)) ended on \(moment): \(end).\n")
    }
  }

  private static func end(_ row: EmergencyRow, _ language: EmergencyLanguage) -> String {
    switch (row.stage, row.outcome, language) {
    case (.falseAlarm, _, .italian), (_, .falseAlarm?, .italian): "era un falso allarme"
    case (.falseAlarm, _, .english), (_, .falseAlarm?, .english): "it was a false alarm"
    case (_, .helped?, .italian): "i soccorsi sono arrivati"
    case (_, .helped?, .english): "help has arrived"
    case (_, .nobodyFound?, .italian): "non è stato trovato nessuno"
    case (_, .nobodyFound?, .english): "nobody was found"
    case (_, .handedOver?, .italian): "è stata affidata ad altri"
    case (_, .handedOver?, .english): "it was handed over to others"
    case (_, nil, .italian): "è stata chiusa"
    case (_, nil, .english): "it was closed"
    }
  }

  /// The hospital's message as a mail for people.
  func hospital(
    _ message: EmergencyMessage, to address: String, at time: Instant
  ) -> (MailMessage, of: MailOwner)? {
    let (name, readings) = (
      message.name.unlinked, message.readingLines.joined(separator: "\n")
    )
    let map = message.details.position?.point.mapLink ?? ""
    let text = """
      Chiamata di emergenza di AutomatedSOS. Confermare con POST /sos/acknowledge.
      An emergency call of AutomatedSOS. Acknowledge it with POST /sos/acknowledge.

      episodeID: \(message.row.id)
      \(message.row.rule.text(in: .italian)) / \(message.row.rule.text(in: .english))
      \(name), \(message.birthDate?.description ?? ""), \(message.sex?.rawValue ?? "")
      Tel.: \(message.phone ?? "-")
      \(message.places(at: time))
      \(map)

      \(readings)
      """
    return mail(
      address,
      ContactText(subject: "TrackMe: EMERGENZA / EMERGENCY \(message.row.id)", text: text),
      of: message.row.account)
  }
}
