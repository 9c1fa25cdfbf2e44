/// The name of a company: one to 200 characters on one line, with at least one letter or digit.
package struct CompanyName: Hashable, Sendable, CustomStringConvertible {
  /// The name as the company writes it.
  package let text: String

  /// The name without case, accents, spaces, punctuation, legal form and alphabet. It must be
  /// unique, because look-alike names deceive (ACC-12).
  package let normalised: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// The text that replaces a deleted account's name or other texts.
  package static let ofDeletedAccounts = "deleted account"

  /// Parses a name that a company wants to use.
  ///
  /// Throws `name` for an invalid name, `reserved` for one that could be mistaken for that of a
  /// deleted account.
  package init(_ text: String) throws(CompanyNameError) {
    do throws(NameError) { try self.init(stored: text) } catch { throw .name(error) }
    guard normalised != Self.normalise(Self.ofDeletedAccounts) else { throw .reserved }
  }

  /// Parses a name that a company already has.
  ///
  /// Throws `empty` without a letter or digit, `tooLong` over 200 characters, `controlCharacter`
  /// for line breaks and other invisible characters.
  package init(stored text: String) throws(NameError) {
    self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
    normalised = Self.normalise(self.text)
  }

  /// The name as the company writes it.
  package var description: String { text }

  /// The search form of a name or of the typed part of one: its letters and digits, concatenated.
  /// The legal form is included, because it may be typed in part.
  package static func searchText(of text: String) -> String { words(of: text).joined() }

  /// The search texts that start at each of the first words; a search may begin with any of them.
  package var searchTexts: [String] {
    let words = Self.words(of: text)
    return words.indices.prefix(Self.searchedWordsMax).map { words[$0...].joined() }
  }

  /// The largest number of words at which a search may begin.
  private static let searchedWordsMax = 8

  private static func normalise(_ text: String) -> String {
    var words = words(of: text)
    var removed = true
    while removed {
      removed = false
      for form in legalForms where words.count > form.count && words.hasSuffix(form) {
        words.removeLast(form.count)
        removed = true
      }
    }
    return words.joined()
  }

  /// Lower-case letters and digits without accents, split at every other character except dots and
  /// apostrophes. Single letters are joined (`S. r. l.` becomes `srl`).
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var current = ""
    var lastWasLetterAlone = false
    func finish() {
      guard !current.isEmpty else { return }
      let isLetterAlone = current.unicodeScalars.count == 1
      if isLetterAlone, lastWasLetterAlone, let last = words.popLast() {
        words.append(last + current)
      } else {
        words.append(current)
      }
      lastWasLetterAlone = isLetterAlone
      current = ""
    }
    for scalar in text.lowercased().unicodeScalars {
      if let plain = FoldedLetters.plain(scalar) {
        current += plain
      } else if FoldedLetters.isMark(scalar) {
        continue
      } else if FoldedLetters.isLetter(scalar) {
        current.unicodeScalars.append(scalar)
      } else if scalar != ".", scalar != "'", scalar != "\u{2019}" {
        finish()
      }
    }
    finish()
    return words
  }

  /// Legal forms and their additions, longest first, each as the words at the end of a name.
  private static let legalForms: [[String]] = [
    "societa cooperativa a responsabilita limitata",
    "societa a responsabilita limitata semplificata", "societa a responsabilita limitata",
    "societa in accomandita per azioni", "societa in accomandita semplice",
    "societa in nome collettivo", "societa per azioni", "societa cooperativa",
    "societa semplice", "societa benefit", "societa unipersonale", "a socio unico",
    "con socio unico", "in liquidazione", "unipersonale", "srls", "srlu", "srl", "spa", "sapa",
    "sas", "snc", "ss", "scarl", "scrl", "scpa", "scpl", "scarlpa", "soc coop", "coop", "onlus",
    "sb", "ets", "aps", "odv", "asd", "ssd", "gmbh", "ag", "kg", "ug", "ltd", "limited", "llp",
    "llc", "inc", "corp", "plc", "sarl", "sa", "bv", "nv", "oy", "ab",
  ].map { $0.split(separator: " ").map(String.init) }
}

/// The reason why a company cannot use a name. Never contains the text.
package enum CompanyNameError: DomainError {
  /// It is not a valid name.
  case name(NameError)
  /// It is reserved for deleted accounts.
  case reserved

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .name(let error): error.description
    case .reserved: "This name is reserved for deleted accounts: choose another one."
    }
  }
}

extension [String] {
  fileprivate func hasSuffix(_ words: [String]) -> Bool { suffix(words.count).elementsEqual(words) }
}
