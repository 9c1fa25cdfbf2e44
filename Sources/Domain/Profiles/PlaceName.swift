/// The search form of a place name: lower-case letters and digits without accents, spaces and
/// apostrophes, so that `Forlì`, `forli'` and `FORLI` are equal.
///
/// The migration that loads the reference data computes its search names by the same rule.
package struct PlaceName: Hashable, Sendable {
  /// The entered text, trimmed.
  package let text: String
  /// The search form; may be empty.
  package let searchText: String
  /// The abbreviation of a province after the name, as in `Samone (TN)`.
  package let province: String?

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// Parses a name, or an ISTAT code, or either followed by a province in brackets.
  ///
  /// Throws the errors of names: `empty`, `tooLong`, `controlCharacter`.
  package init(_ text: String) throws(NameError) {
    let text = try NameError.checked(text, lengthMax: Self.lengthMax)
    let (name, province) = Self.parts(text)
    self.text = name
    self.province = province
    searchText = Self.searchText(of: name)
  }

  /// Computes the search form.
  package static func searchText(of name: String) -> String {
    var result = ""
    for scalar in name.lowercased().unicodeScalars {
      if let plain = unaccented[scalar] {
        result += plain
      } else if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The six digits of an ISTAT code, if the text is one.
  package var istatCode: String? {
    text.utf8.count == 6 && text.utf8.allSatisfy(\.isDigit) ? text : nil
  }

  /// The name, and the two letters in brackets after it.
  private static func parts(_ text: String) -> (name: String, province: String?) {
    let bytes = Array(text.utf8)
    guard bytes.count > 5, bytes[bytes.count - 1] == ascii(")"),
      bytes[bytes.count - 4] == ascii("("), bytes[bytes.count - 5] == ascii(" "),
      bytes[bytes.count - 3].isLetter, bytes[bytes.count - 2].isLetter
    else { return (text, nil) }
    let province = bytes[(bytes.count - 3)..<(bytes.count - 1)].map(\.uppercased)
    return (
      String(decoding: bytes[..<(bytes.count - 5)], as: UTF8.self),
      String(decoding: province, as: UTF8.self)
    )
  }

  private static let unaccented: [Unicode.Scalar: String] = {
    let groups: [(String, String)] = [
      ("àâä", "a"), ("ç", "c"), ("èéê", "e"), ("ì", "i"), ("òôö", "o"), ("ùü", "u"), ("č", "c"),
      ("š", "s"), ("ž", "z"), ("ß", "ss"),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (accented, plain) in groups {
      for scalar in accented.unicodeScalars { table[scalar] = plain }
    }
    return table
  }()
}
