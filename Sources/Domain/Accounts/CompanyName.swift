/// The name of a company: one to 200 characters on one line, with at least one letter or digit.
package struct CompanyName: Hashable, Sendable, CustomStringConvertible {
  /// The name as the company writes it.
  package let text: String

  /// The name without regard to case, accents, spaces, punctuation, legal form and alphabet: what
  /// may stand only once, because look-alike names deceive (ACC-12).
  package let normalised: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// What stands for the name, or another text, of an account that is gone.
  package static let ofDeletedAccounts = "deleted account"

  /// Reads a name that a company wants.
  ///
  /// Throws `name` for what no name is, `reserved` for what would be taken for the name of an
  /// account that is gone.
  package init(_ text: String) throws(CompanyNameError) {
    do throws(NameError) { try self.init(stored: text) } catch { throw .name(error) }
    guard normalised != Self.normalise(Self.ofDeletedAccounts) else { throw .reserved }
  }

  /// Reads a name that a company has.
  ///
  /// Throws `empty` without a letter or digit, `tooLong` over 200 characters, `controlCharacter`
  /// for line breaks and other characters that cannot be seen.
  package init(stored text: String) throws(NameError) {
    self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
    normalised = Self.normalise(self.text)
  }

  /// The name as the company writes it.
  package var description: String { text }

  /// A name, or what was typed of one, as companies are searched by: its letters and digits in one,
  /// legal form included, which may be typed half.
  package static func searchText(of text: String) -> String { words(of: text).joined() }

  /// The search text from each of the first words on: what a search may begin with.
  package var searchTexts: [String] {
    let words = Self.words(of: text)
    return words.indices.prefix(Self.searchedWordsMax).map { words[$0...].joined() }
  }

  /// Words of a name that a search may begin with at most.
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

  /// Small letters and digits without accents, cut at everything else but dots and apostrophes;
  /// letters that stand alone are put together (`S. r. l.` is `srl`).
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

  /// Legal forms and their additions, longest first, each as the words it ends a name with.
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

/// Why a company can't have a name. Never holds the text.
package enum CompanyNameError: DomainError {
  /// It is no name at all.
  case name(NameError)
  /// It stands for accounts that are gone.
  case reserved

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .name(let error): error.description
    case .reserved: "This name stands for accounts that were deleted: choose another one."
    }
  }
}

extension [String] {
  fileprivate func hasSuffix(_ words: [String]) -> Bool { suffix(words.count).elementsEqual(words) }
}
