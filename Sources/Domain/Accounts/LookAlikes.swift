/// Characters that a reader takes for a Latin letter or a digit (Unicode Technical Standard 39
/// calls them confusable): what names are compared by, because look-alike names deceive (ACC-12).
enum LookAlikes {
  /// The small letter or digit that a small letter looks like, itself or as its capital; nil for
  /// one that looks like none, and for the Latin letters themselves.
  static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let value = scalar.value
    switch value {
    case 0...0x7F: return nil
    // Circled, full width, and the alphabets of mathematics, which come one after the other.
    case 0x24D0...0x24E9: return letter(value - 0x24D0)
    case 0xFF10...0xFF19: return digit(value - 0xFF10)
    case 0xFF41...0xFF5A: return letter(value - 0xFF41)
    case 0x1D400...0x1D6A3: return letter((value - 0x1D400) % 26)
    case 0x1D7CE...0x1D7FF: return digit((value - 0x1D7CE) % 10)
    default: return table[scalar]
    }
  }

  private static func letter(_ index: UInt32) -> Unicode.Scalar? { Unicode.Scalar(0x61 + index) }
  private static func digit(_ index: UInt32) -> Unicode.Scalar? { Unicode.Scalar(0x30 + index) }

  /// Cyrillic, Greek and two stray letters, each pair as it stands.
  private static let table: [Unicode.Scalar: Unicode.Scalar] = {
    let pairs = """
      аa вb сc ԁd еe ѐe ёe һh нh іi їi ӏl јj кk мm оo рp ԛq ѕs тt уy ѵv ԝw хx зz
      αa βb ϲc εe ζz ηh ιi ϊi κk μm νn οo όo ρp τt υy χx ѡw ıi µm
      """
    var table: [Unicode.Scalar: Unicode.Scalar] = [:]
    for pair in pairs.split(whereSeparator: \.isWhitespace) {
      let scalars = Array(pair.unicodeScalars)
      table[scalars[0]] = scalars[scalars.count - 1]
    }
    return table
  }()
}
