import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import Services

/// What a hospital is told of an emergency: who, where, which readings, when (SOS-5). Nothing else
/// of the profile, and no fiscal code.
struct EmergencyMessage: Sendable {
  let row: EmergencyRow
  private(set) var details: EmergencyDetails
  let name: String
  let phone: String?
  let birthDate: CalendarDate?
  let sex: Sex?

  /// Opens what is stored.
  ///
  /// - Throws: 500 for what is not as it was stored.
  init(
    _ row: EmergencyRow, _ profile: ProfileRow, under key: SealingKey
  ) throws(ApplicationError) {
    self.row = row
    details = try EmergencyDetails(row, under: key)
    let person = try profile.sealed.open(SingleUserProfile.self, of: row.account, under: key)
    name = person.profile.fullName
    phone = person.profile.phone
    birthDate = profile.birthDate
    sex = profile.sex
  }

  /// What this process knows by itself.
  init(_ row: EmergencyRow, _ details: EmergencyDetails, _ person: CalledPerson) {
    self.row = row
    self.details = details
    (name, phone, birthDate, sex) = (person.name, person.phone, person.birthDate, person.sex)
  }

  /// Adds vital signs that its record does not hold yet.
  mutating func add(_ readings: [EmergencyReading]) {
    details.add(readings, since: row.firstCritical)
  }

  /// The fields of the message, as of a time at which the hospital was called.
  func writeFields(at time: Timestamp, to writer: inout JSONWriter) {
    writer.field("episodeID", row.id.description)
    writer.field("rule", row.rule.word)
    writer.field("suspectedAt", row.suspectedAt.timestamp.description)
    writer.fieldIfPresent("confirmedAt", row.confirmedAt?.timestamp.description)
    writer.object("person") { writer in
      writer.field("full_name", name)
      writer.fieldIfPresent("birthdate", birthDate?.description)
      writer.fieldIfPresent("sex", sex?.rawValue)
      writer.fieldIfPresent("phone", phone)
    }
    details.writeFields(at: time, to: &writer)
  }

  /// The readings, a line each.
  var readingLines: [String] {
    details.readings.map { reading in
      "\(reading.time): \(reading.type.name) \(reading.value.text(of: reading.type)) "
        + reading.type.unit
    }
  }

  /// Where the person was, in the words of both languages; once where they say the same.
  func places(at time: Timestamp) -> String {
    let words = [place(in: .italian, at: time), place(in: .english, at: time)]
    return words[0] == words[1] ? words[0] : words.joined(separator: " / ")
  }

  /// Where the person was, in words.
  func place(in language: EmergencyLanguage, at time: Timestamp) -> String {
    guard let position = details.position else {
      return language == .italian ? "posizione non nota" : "position not known"
    }
    let stale =
      details.isStale(at: time)
      ? (language == .italian ? ", non aggiornata" : ", not up to date") : ""
    return "\(position.point.text) (\(position.time)\(stale))"
  }
}
