import AutomatedSOS
import Domain

/// The person of an emergency, as far as this process knows.
struct CalledPerson: Sendable {
  let name: String
  let phone: String?
  let birthDate: CalendarDate?
  let sex: Sex?
  let language: EmergencyLanguage

  /// A person without a profile in memory: the call contains place and readings, but no name.
  static let unknown = CalledPerson(
    name: "Persona non nota / person not known", phone: nil, birthDate: nil, sex: nil,
    language: .italian)
}
