import Domain
import ServiceKit
import Time

/// Subject and text of a mail.
struct ContactText: Sendable {
  let subject: String
  let text: String
}

/// The texts of mails to emergency contacts: times in the person's time zone, which is named, the
/// nearest municipality, and a link to a map (NTF-3).
struct ContactTexts {
  let message: EmergencyMessage
  /// The municipality whose centre is nearest to the position.
  let municipality: String?
  let locale: ReaderLocale
  let now: Instant

  /// The mail that asks a contact for agreement, in both languages, since the contact's is not
  /// known. The text is ASCII: a transfer encoding would break the line of the link.
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

        Fino alla tua risposta ti arriva una sola mail, alla prima emergenza. Se rifiuti non ti
        scriveremo altro per conto di questa persona.

        ---

        \(name) uses TrackMe and has named you as an emergency contact.
        If you agree, we notify you of an emergency by mail\
        \(phone == nil ? "" : " and, where possible, by telephone\(called)"), with date, time and
        position. To agree or to decline, open this address, which is valid for one answer:

        \(link)

        Until you answer, you receive only one mail, at the first emergency. If you decline, we
        will not write to you again on behalf of this person.
        """)
  }

  /// The mail about an emergency. Before the contact's agreement it says that no other mail follows
  /// without an answer, and names the telephone that an agreement would cover.
  func emergency(
    to contact: EmergencyContact, hasAgreed: Bool, link: String
  ) -> ContactText {
    let (name, rule) = (message.name.unlinked, message.row.rule.text(in: locale.language))
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

          \(hasAgreed ? "Per non ricevere più questi avvisi:" : italianOffer(to: contact))
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

          \(hasAgreed ? "To stop these messages:" : englishOffer(to: contact))
          \(link)
          """)
    }
  }

  /// The last part of the mail before the contact's agreement: the telephone that it would cover.
  private func italianOffer(to contact: EmergencyContact) -> String {
    let calls = contact.callablePhone.map {
      "Se accetti ti avvisiamo, dove possibile, anche per telefono (\($0.text)).\n"
    }
    return "Non hai ancora accettato di essere un contatto di emergenza: fino alla tua\n"
      + "risposta questo è l'unico avviso.\n\(calls ?? "")Per accettare o rifiutare:"
  }

  private func englishOffer(to contact: EmergencyContact) -> String {
    let calls = contact.callablePhone.map {
      "If you agree, we also tell you by telephone where possible (\($0.text)).\n"
    }
    return "You have not agreed to be an emergency contact yet: until you answer, this is the\n"
      + "only message.\n\(calls ?? "")To agree or to decline:"
  }

  /// The person's place, with a link to a map.
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

  private func moment(_ time: Instant) -> String { locale.moment(time) }
}

extension ReaderLocale {
  /// The same time zone in another language.
  func with(_ language: Language) -> ReaderLocale {
    ReaderLocale(language: language, zoneName: zoneName, zone: zone)
  }

  /// Day, time and zone in the usual notation: `22 novembre 2026 alle 14:32 (Europe/Rome, CET)`.
  func moment(_ time: Instant) -> String {
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
