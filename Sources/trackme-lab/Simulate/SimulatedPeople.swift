import Domain
import Installation

/// An account of a simulation.
struct SimulatedAccount {
  let login: DemoLogin
  let registration: Registration
  /// The name shown in a run.
  let name: String
}

/// The accounts of simulated runs: invented, always the same, with a public password. They are
/// created only if mails are written to a folder, as in a trial installation.
enum SimulatedPeople {
  /// The most runners of a run.
  static let runnersMax = 200
  /// The most organising companies; each organises a few runs per day.
  static let organisersMax = 20

  private static let password = "password-of-a-simulation"
  private static let names = [
    "Anna", "Bianca", "Carla", "Daria", "Elena", "Flavia", "Giulia", "Hanna", "Irene", "Lucia",
    "Marta", "Noemi", "Olga", "Paola", "Rita", "Sara", "Teresa", "Ursula", "Viola", "Zita",
  ]

  /// A company by its number, from 1 to 20.
  static func organiser(_ number: Int) -> SimulatedAccount {
    let email = "simulated-club-\(number)@example.org"
    let registration = Registration(
      .thirdParty,
      [
        ("email", email), ("password", password), ("piva", vatNumber(number)),
        ("company_name", "Simulated Club \(number)"),
        ("company_description", "Organises runs that are simulated."),
      ])
    return SimulatedAccount(
      login: DemoLogin(kind: DemoLogin.thirdParty, email: email, password: password),
      registration: registration, name: "Simulated Club \(number)")
  }

  /// A runner by number, from 0.
  static func runner(_ number: Int) -> SimulatedAccount {
    let email = "simulated-runner-\(number)@example.org"
    let round = number / names.count
    let given = names[number % names.count]
    let registration = Registration(
      .singleUser,
      [
        ("email", email), ("password", password), ("fc", fiscalCode(number)),
        ("full_name", "\(given) Corridore"), ("birthdate", "1990-01-01"), ("sex", "F"),
      ])
    return SimulatedAccount(
      login: DemoLogin(kind: DemoLogin.singleUser, email: email, password: password),
      registration: registration,
      name: round > 0 ? "\(given) \(round + 1)" : given)
  }

  /// The fiscal code of a person born in Milan, with the number as letters four to six and the
  /// correct check letter.
  private static func fiscalCode(_ number: Int) -> String {
    let letters = [676, 26, 1].map { place in
      String(UnicodeScalar(UInt8(65 + number / place % 26)))
    }
    let body = "SIM\(letters.joined())90A41F205"
    return body + String(UnicodeScalar(FiscalCode.checkLetter(Array(body.utf8))))
  }

  /// A VAT number of the Milan office with the correct check digit.
  static func vatNumber(_ number: Int) -> String {
    let body = String(String(10_990_000 + number).dropFirst()) + "015"
    return (0..<10).map { body + "\($0)" }.first { (try? VATNumber($0)) != nil } ?? body
  }
}
