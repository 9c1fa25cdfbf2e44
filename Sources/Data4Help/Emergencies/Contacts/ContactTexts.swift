import Domain
import EventLoop
import Services

/// Subject and text of a mail.
struct ContactText: Sendable {
  let subject: String
  let text: String
}

/// What mails to emergency contacts say: times in the person's time zone, which is named, the
/// nearest municipality, and a link to a map (NTF-3).
struct ContactTexts {
  let message: EmergencyMessage
  /// The municipality whose centre is nearest to the position.
  let municipality: String?
  let locale: ReaderLocale
  let now: Timestamp

  /// The mail that asks somebody whether they agree, in both languages: theirs is not known. Its
  /// own words have no accents, so that in plain ASCII the link stays whole.
  static func question(
    from name: String, to contact: EmergencyContact, link: String
  ) -> ContactText {
    let phone = contact.callablePhone?.text
    let (name, called) = (name.unlinked, phone.map { " (\($0))" } ?? "")
    return ContactText(
      subject: "TrackMe: contatto di emergenza / emergency contact",
      text: """
        \(name) usa TrackMe e ti ha indicato come contatto di emergenza.
        Se accetti, in caso di emergenza ti avvisiamo per mail\
        \(phone == nil ? "" : " e, dove possibile, per telefono\(called)"), con data, ora e
        posizione. Per accettare o rifiutare apri questo indirizzo, che vale per una risposta:

        \(link)

        Finche non rispondi ti arriva una sola mail, alla prima emergenza. Se rifiuti non ti
        scriviamo altro per conto di questa persona.

        ---

        \(name) uses TrackMe and has named you as an emergency contact.
        If you agree, we tell you of an emergency by mail\
        \(phone == nil ? "" : " and, where possible, by telephone\(called)"), with date, time and
        position. To agree or to decline, open this address, which is good for one answer:

        \(link)

        Until you answer you get one mail only, at the first emergency. If you decline, we
        write nothing more to you because of this person.
        """)
  }

  /// The mail of an emergency. A contact who has not agreed reads that, and that it is the only
  /// one.
  func emergency(hasAgreed: Bool, link: String) -> ContactText {
    let (name, rule) = (message.name.unlinked, message.row.rule.words(in: locale.language))
    switch locale.language {
    case .italian:
      return ContactText(
        subject: "TrackMe: emergenza",
        text: """
          \(name) ti ha indicato come contatto di emergenza.
          Il \(moment(now)) AutomatedSOS ha chiamato soccorso: \(rule).
          \(place)
          Se puoi, chiama \(message.phone ?? "la persona"); se è in pericolo chiama il 112.
          AutomatedSOS non è un dispositivo medico e non sostituisce il 112.

          \(hasAgreed
            ? "Per non ricevere più questi avvisi:"
            : "Non hai ancora accettato di essere un contatto di emergenza: fino alla tua\n"
              + "risposta questo è l'unico avviso. Per accettare o rifiutare:")
          \(link)
          """)
    case .english:
      return ContactText(
        subject: "TrackMe: emergency",
        text: """
          \(name) has named you as an emergency contact.
          On \(moment(now)) AutomatedSOS called for help: \(rule).
          \(place)
          If you can, call \(message.phone ?? "them"); if they are in danger, call 112.
          AutomatedSOS is not a medical device and does not replace 112.

          \(hasAgreed
            ? "To get no more of these messages:"
            : "You have not agreed to be an emergency contact yet: until you answer, this is the\n"
              + "only message. To agree or to decline:")
          \(link)
          """)
    }
  }

  /// Where the person was, with a link to a map.
  private var place: String {
    let isItalian = locale.language == .italian
    guard let position = message.details.position else {
      return isItalian ? "Posizione: non nota" : "Position: not known"
    }
    let near = municipality.map { isItalian ? "vicino a \($0), " : "near \($0), " } ?? ""
    let stale =
      message.details.isStale(at: now)
      ? (isItalian ? ", non aggiornata" : ", not up to date") : ""
    let time = moment(position.time)
    return """
      \(isItalian ? "Posizione" : "Position"): \(near)\(position.point.text)
      (\(time)\(stale))
      \(position.point.mapLink)
      """
  }

  private func moment(_ time: Timestamp) -> String { locale.moment(time) }
}

extension ReaderLocale {
  /// The same time zone in another language.
  func with(_ language: Language) -> ReaderLocale {
    ReaderLocale(language: language, zoneName: zoneName, zone: zone)
  }

  /// Day, time and zone, as people write them: `22 novembre 2026 alle 14:32 (Europe/Rome, CET)`.
  func moment(_ time: Timestamp) -> String {
    let name = zone.abbreviation(at: time).map { $0 == zoneName ? zoneName : "\(zoneName), \($0)" }
    let at = language == .italian ? "alle" : "at"
    return "\(date(time)) \(at) \(clock(time)) (\(name ?? zoneName))"
  }
}

extension GeoPoint {
  /// A map with a marker at the point.
  var mapLink: String {
    let parts = text.split(separator: ",")
    let (latitude, longitude) = (parts.first ?? "", parts.last ?? "")
    return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)"
      + "#map=17/\(latitude)/\(longitude)"
  }
}
