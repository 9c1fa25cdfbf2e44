import Domain

/// Names of invented people, and the fiscal codes that belong to them (DM 23-12-1976).
enum TownNames {
  static let women = [
    "Anna", "Giulia", "Chiara", "Francesca", "Sara", "Laura", "Elena", "Paola", "Martina", "Silvia",
    "Valentina", "Alessia", "Federica", "Roberta", "Simona", "Daniela", "Carla", "Rosa", "Teresa",
    "Lucia", "Marta", "Irene", "Giorgia", "Beatrice", "Noemi", "Ilaria", "Elisa", "Monica",
  ]
  static let men = [
    "Marco", "Luca", "Andrea", "Matteo", "Davide", "Giuseppe", "Antonio", "Francesco", "Stefano",
    "Paolo", "Alessandro", "Riccardo", "Simone", "Roberto", "Giovanni", "Mario", "Carlo", "Pietro",
    "Lorenzo", "Fabio", "Claudio", "Emanuele", "Filippo", "Giorgio", "Enrico", "Tommaso", "Nicola",
  ]
  static let families = [
    "Rossi", "Ferrari", "Bianchi", "Colombo", "Ricci", "Fontana", "Moretti", "Barbieri", "Lombardi",
    "Galli", "Martini", "Ferri", "Villa", "Riva", "Bassi", "Cattaneo", "Grassi", "Pagani", "Sala",
    "Negri", "Conti", "Marchetti", "Bellini", "Parisi", "Fumagalli", "Zanetti", "Ferrario", "Poli",
    "Bosio", "Dossena", "Vecchi", "Cipolla", "Arrigoni", "Maggi", "Sangalli", "Tavazzi", "Uggeri",
    "Valsecchi", "Granata", "Pedrini",
  ]

  /// The code of a person.
  ///
  /// - Throws: `malformed` for a name without letters, which no name here is.
  static func fiscalCode(
    family: String, given: String, _ sex: Sex, born birth: CalendarDate, in place: TownPlace
  ) throws(FiscalCodeError) -> FiscalCode {
    let (year, month, day) = birth.components
    let months = Array("ABCDEHLMPRST")
    let number = day + (sex == .female ? 40 : 0)
    let body =
      letters(of: family, isGiven: false) + letters(of: given, isGiven: true)
      + twoDigits(year % 100) + String(months[month - 1]) + twoDigits(number) + place.rawValue
    return try FiscalCode(
      body + String(UnicodeScalar(FiscalCode.checkLetter(Array(body.utf8)))))
  }

  /// Consonants, then vowels, then X. Of a given name with more than three consonants the second is
  /// left out.
  private static func letters(of name: String, isGiven: Bool) -> String {
    let capitals = name.uppercased().filter { $0.isASCII && $0.isLetter }
    var consonants = capitals.filter { !"AEIOU".contains($0) }
    if isGiven, consonants.count > 3 {
      consonants.remove(at: consonants.index(after: consonants.startIndex))
    }
    let vowels = capitals.filter { "AEIOU".contains($0) }
    return String((consonants + vowels + String(repeating: "X", count: 3)).prefix(3))
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
