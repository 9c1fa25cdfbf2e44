import Accounts
import Bytes
import Cryptography
import Domain
import JSON
import Postgres
import ServiceKit
import Time

/// A hospital's view of an emergency: person, place, readings and times (SOS-5). It contains
/// nothing else of the profile, and no fiscal code.
struct EmergencyMessage: Sendable {
  let row: EmergencyRow
  private(set) var details: EmergencyDetails
  let name: String
  let phone: String?
  let birthDate: CalendarDate?
  let sex: Sex?

  /// Opens the stored data.
  ///
  /// - Throws: `internalError` for damaged data.
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

  /// A message from this process's memory alone.
  init(_ row: EmergencyRow, _ details: EmergencyDetails, _ person: CalledPerson) {
    self.row = row
    self.details = details
    (name, phone, birthDate, sex) = (person.name, person.phone, person.birthDate, person.sex)
  }

  /// Adds vital signs that its record does not contain yet.
  mutating func add(_ readings: [EmergencyReading]) {
    details.add(readings, since: row.firstCritical)
  }

  /// The fields of the message, as of the time of the call to the hospital.
  func writeFields(at time: Instant, to writer: inout JSONWriter) {
    writer.field("episodeID", row.id.description)
    writer.field("rule", row.rule.apiName)
    writer.field("suspectedAt", row.suspectedAt.description)
    writer.fieldIfPresent("confirmedAt", row.confirmedAt?.description)
    writer.object("person") { writer in
      writer.field("full_name", name)
      writer.fieldIfPresent("birthdate", birthDate?.description)
      writer.fieldIfPresent("sex", sex?.rawValue)
      writer.fieldIfPresent("phone", phone)
    }
    details.writeFields(at: time, to: &writer)
  }

  /// The readings, one per line.
  var readingLines: [String] {
    details.readings.map { reading in
      "\(reading.time): \(reading.type.name) \(reading.value.text(of: reading.type)) "
        + reading.type.unit
    }
  }

  /// The person's place in both languages; once if both texts are equal.
  func places(at time: Instant) -> String {
    let words = [place(in: .italian, at: time), place(in: .english, at: time)]
    return words[0] == words[1] ? words[0] : words.joined(separator: " / ")
  }

  /// The person's place as text.
  func place(in language: EmergencyLanguage, at time: Instant) -> String {
    guard let position = details.position else {
      return language == .italian ? "posizione non nota" : "position not known"
    }
    let stale =
      details.isStale(at: time)
      ? (language == .italian ? ", non aggiornata" : ", not up to date") : ""
    return "\(position.point.text) (\(position.time)\(stale))"
  }
}
