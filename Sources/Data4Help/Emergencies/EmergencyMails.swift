import AutomatedSOS
import Delivery
import Domain
import EventLoop
import Privacy
import Services

/// The mails of an emergency: to the contacts, and to the hospital beside its sequence (SOS-5,
/// SOS-6). Each goes with the person's account.
struct EmergencyMails: Sendable {
  let surroundings: Surroundings
  let sender: MailAddress

  private func mail(
    _ address: String, _ subject: String, _ text: String, of account: AccountID
  ) -> (MailMessage, of: MailTies)? {
    guard let address = MailAddress(address) else { return nil }
    return (
      MailMessage(
        from: sender, to: address, subject: subject, text: text, world: surroundings.world),
      of: MailTies(account)
    )
  }

  /// Tells the contacts that a hospital or the emergency number is called.
  func called(
    _ message: EmergencyMessage, _ contacts: EmergencyContacts, _ language: EmergencyLanguage,
    at time: Timestamp
  ) -> [(MailMessage, of: MailTies)] {
    let place = message.place(in: language, at: time)
    let rule = message.row.rule.words(in: language)
    let (subject, text) =
      switch language {
      case .italian:
        (
          "TrackMe: emergenza",
          """
          \(message.name.unlinked) ti ha indicato come contatto di emergenza.
          Il \(time) AutomatedSOS ha chiamato soccorso: \(rule).
          Posizione: \(place)
          Se puoi, chiama \(message.phone ?? "la persona"); se è in pericolo chiama il 112.
          AutomatedSOS non è un dispositivo medico e non sostituisce il 112.
          """
        )
      case .english:
        (
          "TrackMe: emergency",
          """
          \(message.name.unlinked) has named you as an emergency contact.
          At \(time) AutomatedSOS called for help: \(rule).
          Position: \(place)
          If you can, call \(message.phone ?? "them"); if they are in danger, call 112.
          AutomatedSOS is not a medical device and does not replace 112.
          """
        )
      }
    return contacts.list.compactMap { contact in
      mail(contact.email.text, subject, text, of: message.row.account)
    }
  }

  /// Tells everybody who was told that it is over.
  func over(
    _ row: EmergencyRow, _ name: String, _ addresses: [String], _ language: EmergencyLanguage,
    at time: Timestamp
  ) -> [(MailMessage, of: MailTies)] {
    let (person, end) = (name.unlinked, Self.end(row, language))
    let (subject, text) =
      switch language {
      case .italian:
        (
          "TrackMe: cessato allarme",
          """
          L'emergenza di \(person) (\(row.id)) è finita il \(time): \(end).
          """
        )
      case .english:
        (
          "TrackMe: all clear",
          """
          The emergency of \(person) (\(row.id)) is over since \(time): \(end).
          """
        )
      }
    return addresses.compactMap { mail($0, subject, text, of: row.account) }
  }

  private static func end(_ row: EmergencyRow, _ language: EmergencyLanguage) -> String {
    switch (row.stage, row.outcome, language) {
    case (.falseAlarm, _, .italian), (_, .falseAlarm?, .italian): "era un falso allarme"
    case (.falseAlarm, _, .english), (_, .falseAlarm?, .english): "it was a false alarm"
    case (_, .helped?, .italian): "i soccorsi sono arrivati"
    case (_, .helped?, .english): "help has come"
    case (_, .nobodyFound?, .italian): "non è stato trovato nessuno"
    case (_, .nobodyFound?, .english): "nobody was found"
    case (_, .handedOver?, .italian): "è stata affidata ad altri"
    case (_, .handedOver?, .english): "it was handed over to others"
    case (_, nil, .italian): "è stata chiusa"
    case (_, nil, .english): "it was closed"
    }
  }

  /// The same as the hospital's message, for people.
  func hospital(
    _ message: EmergencyMessage, to address: String, at time: Timestamp
  ) -> (MailMessage, of: MailTies)? {
    let readings = message.readingLines.joined(separator: "\n")
    return mail(
      address, "TrackMe: EMERGENZA / EMERGENCY \(message.row.id)",
      """
      Chiamata di emergenza di AutomatedSOS. Confermare con POST /sos/acknowledge.
      An emergency call of AutomatedSOS. Acknowledge it by POST /sos/acknowledge.

      episodeID: \(message.row.id)
      \(message.row.rule.words(in: .italian)) / \(message.row.rule.words(in: .english))
      \(message.name), \(message.birthDate?.description ?? ""), \(message.sex?.rawValue ?? "")
      Tel.: \(message.phone ?? "-")
      \(message.places(at: time))

      \(readings)
      """, of: message.row.account)
  }
}
