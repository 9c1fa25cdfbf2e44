/// The folded form by which names of people and companies are compared: letters without case,
/// accents and alphabet (ACC-12, RUN-7), in either of Unicode's two spellings.
///
/// A change here changes stored hashes: the statements that compare `name_folding` then need the
/// next number and their index, so that names are entered again (decision 0004).
enum FoldedLetters {
  /// The folded form of a small letter or digit; nil if it equals the character.
  static func plain(_ scalar: Unicode.Scalar) -> String? {
    guard !scalar.isASCII else { return nil }
    let base = AccentedLetters.bases[scalar] ?? scalar
    if let plain = LookAlikes.plain(base) { return plain }
    if let jamo = jamo(of: base) { return jamo }
    return base == scalar ? nil : String(base)
  }

  /// Whether a character only modifies the previous one, or is invisible; names are compared
  /// without it.
  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x7F: return false
    // Accents, and the points of Hebrew and Arabic; some of them count as alphabetic.
    case 0x300...0x36F, 0x591...0x5C7, 0x64B...0x65F, 0x670, 0x6D6...0x6ED: return true
    default: break
    }
    if scalar.properties.isDefaultIgnorableCodePoint { return true }
    switch scalar.properties.generalCategory {
    case .enclosingMark: return true
    // Vowels of Indic scripts are alphabetic marks.
    case .nonspacingMark: return !scalar.properties.isAlphabetic
    default: return false
    }
  }

  /// Whether a character makes a name valid: a visible letter or digit.
  static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return (properties.isAlphabetic || properties.numericType != nil) && !isMark(scalar)
  }

  /// The two or three letters of a Korean syllable, by the arithmetic of the Unicode Standard
  /// (section 3.12).
  private static func jamo(of scalar: Unicode.Scalar) -> String? {
    guard (0xAC00...0xD7A3).contains(scalar.value) else { return nil }
    let index = scalar.value - 0xAC00
    var values = [0x1100 + index / 588, 0x1161 + index % 588 / 28]
    if index % 28 > 0 { values.append(0x11A7 + index % 28) }
    return String(String.UnicodeScalarView(values.compactMap { Unicode.Scalar($0) }))
  }
}
