/// A language of mails, notices and calls; the raw value is the API's `language` (ISO 639-1).
package enum Language: String, Hashable, Sendable, CaseIterable {
  case italian = "it"
  case english = "en"

  /// The language of an account without a choice: accounts need an Italian fiscal code or P.IVA.
  package static let standard = Language.italian

  /// The name of a month, 1 to 12, as in a date.
  package func month(_ number: Int) -> String {
    switch self {
    case .italian: Self.italianMonths[number - 1]
    case .english: Self.englishMonths[number - 1]
    }
  }

  private static let italianMonths = [
    "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre",
    "ottobre", "novembre", "dicembre",
  ]
  private static let englishMonths = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
