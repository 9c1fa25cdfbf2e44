import Domain
import Time

/// The spoken sentences, one repetition each, in the person's language.
///
/// The message to the emergency number contains the event, the person's age, and the place; no name
/// and no fiscal code, because help can be sent without them. The message to a contact contains the
/// name of the person who named the contact.
struct VoiceSentence {
  let message: EmergencyMessage
  /// The municipality whose centre is nearest to the position.
  let municipality: String?
  let language: EmergencyLanguage
  let now: Instant

  /// The message to the emergency number.
  func forNumber(on today: CalendarDate) -> String {
    let age = message.birthDate.map { BirthDate(stored: $0).age(on: today).description } ?? "?"
    let rule = message.row.rule.text(in: language)
    return switch language {
    case .italian:
      "Emergenza sanitaria, messaggio automatico. Persona di \(age) anni, \(rule). \(place)."
    case .english:
      "Medical emergency, automatic message. A person of \(age) years, \(rule). \(place)."
    }
  }

  /// The message to an emergency contact, with date and time in the time zone of the installation.
  func forContact(in zone: TimeZoneRules) -> String {
    let (_, month, day) = zone.day(of: now).components
    let local = now.secondsSince1970 + Int64(zone.offsetSeconds(at: now))
    let minute = ((local % 86_400 + 86_400) % 86_400) / 60
    let clock = "\(minute / 60):\(Self.two(Int(minute % 60)))"
    return switch language {
    case .italian:
      """
      Messaggio automatico. \(message.name) può essere in pericolo: il \(day) \
      \(language.month(month)) alle \(clock) è stato chiamato soccorso. \(place).
      """
    case .english:
      """
      Automatic message. \(message.name) may be in danger: on \(language.month(month)) \
      \(day) at \(clock) help was called. \(place).
      """
    }
  }

  /// The person's position, and the age of that position if it is not current.
  private var place: String {
    guard let position = message.details.position else {
      return language == .italian ? "Posizione non nota" : "Position not known"
    }
    let near = municipality.map { language == .italian ? "Vicino a \($0). " : "Near \($0). " }
    let (latitude, longitude) = (
      degrees(position.point.latitudeE7), degrees(position.point.longitudeE7)
    )
    let coordinates =
      language == .italian
      ? "Latitudine \(latitude), longitudine \(longitude)"
      : "Latitude \(latitude), longitude \(longitude)"
    return (near ?? "") + coordinates + age(since: position.time)
  }

  private func age(since time: Instant) -> String {
    let minutes = (now.millisecondsSince1970 - time.millisecondsSince1970) / 60_000
    guard minutes >= 2 else { return "" }
    let (count, isHours) = minutes < 120 ? (minutes, false) : (minutes / 60, true)
    return switch language {
    case .italian: ", \(count) \(isHours ? "ore" : "minuti") fa"
    case .english: ", \(count) \(isHours ? "hours" : "minutes") ago"
    }
  }

  /// Ten-thousandths of a degree (11 m), with the decimals in pairs, as usual in speech and
  /// writing.
  private func degrees(_ scaled: Int32) -> String {
    let magnitude = (Int(scaled.magnitude) + 500) / 1000
    let sign = scaled < 0 ? (language == .italian ? "meno " : "minus ") : ""
    let point = language == .italian ? "virgola" : "point"
    let (first, second) = (magnitude % 10_000 / 100, magnitude % 100)
    return "\(sign)\(magnitude / 10_000) \(point) \(Self.pair(first)) \(Self.pair(second))"
  }

  private static func pair(_ number: Int) -> String { number < 10 ? "0 \(number)" : "\(number)" }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
