import Domain
import Operations
import Time

/// An invented person of the town: the same for the same seed, number and day of creation.
package struct Citizen: Hashable, Sendable {
  /// The number in the town, from 0.
  package let number: Int
  /// The name in the profile.
  package let givenName: String
  package let familyName: String
  /// The sex.
  package let sex: Sex
  /// The birth date.
  package let birthDate: CalendarDate
  /// The code that agrees with them.
  package let fiscalCode: FiscalCode
  /// The address of the account.
  package let email: EmailAddress
  /// Where the person lives.
  package let place: TownPlace
  /// The home, for the last known position.
  package let home: GeoPoint
  /// The occupation.
  package let occupation: Occupation
  /// Body and habits.
  package let body: CitizenBody
  let seed: UInt64

  /// Every third person has accepted the requests of the company in advance (REQ-3).
  package var trustsCompany: Bool { number % 3 == 0 }

  /// Whether the person joins the weekly run from time to time.
  package var isRunner: Bool { body.fitness > 0.7 && occupation != .retired }

  /// Given and family name.
  package var fullName: String { "\(givenName) \(familyName)" }

  /// The youngest age: every person can register without a parent.
  static let ageMin = 16

  /// The person of a number. `attempt` chooses another person for a fiscal code that is taken.
  ///
  /// - Throws: `StartError` for an invalid address, code or position, which no number has.
  init(number: Int, attempt: Int, seed: UInt64, today: CalendarDate) throws(StartError) {
    var random = DeterministicRandom(seed, .person, number, attempt)
    self.number = number
    self.seed = seed
    sex = random.happens(0.52) ? .female : .male
    let age = Self.age(&random)
    birthDate = CalendarDate(
      daysSince1970: today.daysSince1970 - age * 365 - age / 4 - random.whole(1...364))
    givenName = random.one(of: sex == .female ? TownNames.women : TownNames.men)
    familyName = random.one(of: TownNames.families)
    place =
      random.happens(TownPlace.shareOfLodi)
      ? .lodi : random.one(of: TownPlace.allCases.filter { $0 != .lodi })
    occupation = Self.occupation(age, &random)
    let name = "\(givenName).\(familyName)\(number + 1)".lowercased()
    do {
      fiscalCode = try TownNames.fiscalCode(
        family: familyName, given: givenName, sex, born: birthDate, in: .lodi)
      email = try EmailAddress("\(name)@example.org")
      home = try place.home(&random)
    } catch {
      throw StartError("The person \(number) of the town is invalid: \(error).")
    }
    body = CitizenBody(sex, age: age, &random)
  }

  /// A third is under 40, a quarter over 65, as in Italy.
  private static func age(_ random: inout DeterministicRandom) -> Int {
    switch random.fraction() {
    case ..<0.11: random.whole(ageMin...24)
    case ..<0.33: random.whole(25...39)
    case ..<0.75: random.whole(40...64)
    case ..<0.93: random.whole(65...79)
    default: random.whole(80...92)
    }
  }

  private static func occupation(_ age: Int, _ random: inout DeterministicRandom) -> Occupation {
    if age >= 67 { return .retired }
    let share = random.fraction()
    if age < 25 { return share < 0.7 ? .student : .employed }
    return switch share {
    case ..<0.68: .employed
    case ..<0.84: .selfEmployed
    case ..<0.91: .unemployed
    default: .other
    }
  }
}
