import Domain

/// An account of a simulation.
struct SimulatedAccount {
  let login: DemoLogin
  /// Where it is registered, and with what.
  let path: String
  let registration: [UInt8]
  /// What it is called in a run.
  let name: String
}

/// The accounts of simulated runs: invented, the same ones each time, with a public password. They
/// are made only where mails are written into a folder, as in a copy to try.
enum SimulatedPeople {
  /// Runners of a run at most.
  static let runnersMax = 200
  /// Companies that organise, each a few runs a day.
  static let organisersMax = 20

  private static let password = "password-of-a-simulation"
  private static let names = [
    "Anna", "Bianca", "Carla", "Daria", "Elena", "Flavia", "Giulia", "Hanna", "Irene", "Lucia",
    "Marta", "Noemi", "Olga", "Paola", "Rita", "Sara", "Teresa", "Ursula", "Viola", "Zita",
  ]

  /// A company, from 1 to 20.
  static func organiser(_ number: Int) -> SimulatedAccount {
    let email = "simulated-club-\(number)@example.org"
    let registration = DemoJSON.object([
      ("email", email), ("password", password), ("piva", vatNumber(number)),
      ("company_name", "Simulated Club \(number)"),
      ("company_description", "Organises runs that are simulated."),
    ])
    return SimulatedAccount(
      login: DemoLogin(kind: "third party", email: email, password: password),
      path: "/auth/reg/tp", registration: registration, name: "Simulated Club \(number)")
  }

  /// A runner by number, from 0 on.
  static func runner(_ number: Int) -> SimulatedAccount {
    let email = "simulated-runner-\(number)@example.org"
    let round = number / names.count
    let given = names[number % names.count]
    let registration = DemoJSON.object([
      ("email", email), ("password", password), ("fc", fiscalCode(number)),
      ("full_name", "\(given) Corridore"), ("birthdate", "1990-01-01"), ("sex", "F"),
    ])
    return SimulatedAccount(
      login: DemoLogin(kind: "single user", email: email, password: password),
      path: "/auth/reg/single", registration: registration,
      name: round > 0 ? "\(given) \(round + 1)" : given)
  }

  /// A code of somebody born in Milan, whose letters four to six are the number, with the only
  /// check letter that fits.
  private static func fiscalCode(_ number: Int) -> String {
    let letters = [676, 26, 1].map { place in
      String(UnicodeScalar(UInt8(65 + number / place % 26)))
    }
    let body = "SIM\(letters.joined())90A41F205"
    let codes = (0..<26).map { body + String(UnicodeScalar(UInt8(65 + $0))) }
    return codes.first { (try? FiscalCode($0)) != nil } ?? body
  }

  /// A number of the office of Milan, with the only check digit that fits.
  private static func vatNumber(_ number: Int) -> String {
    let body = String(String(10_990_000 + number).dropFirst()) + "015"
    return (0..<10).map { body + "\($0)" }.first { (try? VATNumber($0)) != nil } ?? body
  }
}
