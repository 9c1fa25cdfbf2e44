/// Characters that readers mistake for Latin letters or digits (Unicode Technical Standard 39 calls
/// them confusable). Names are compared by the Latin forms, because look-alike names deceive
/// (ACC-12).
enum LookAlikes {
  /// The lower-case letters or the digit that a small letter, or its capital, looks like; nil if
  /// there is none, and for the Latin letters themselves.
  static func plain(_ scalar: Unicode.Scalar) -> String? {
    let value = scalar.value
    switch value {
    case 0...0x7F: return nil
    // Circled, full-width and squared letters, and the mathematical alphabets, which are
    // contiguous.
    case 0x24D0...0x24E9: return letter(value - 0x24D0)
    case 0xFF10...0xFF19: return digit(value - 0xFF10)
    case 0xFF41...0xFF5A: return letter(value - 0xFF41)
    case 0x1D400...0x1D6A3: return letter((value - 0x1D400) % 26)
    case 0x1D6A8...0x1D7C9: return greek((value - 0x1D6A8) % 58)
    case 0x1D7CE...0x1D7FF: return digit((value - 0x1D7CE) % 10)
    case 0x1F130...0x1F149: return letter(value - 0x1F130)
    case 0x1F150...0x1F169: return letter(value - 0x1F150)
    case 0x1F170...0x1F189: return letter(value - 0x1F170)
    default: return table[scalar]
    }
  }

  private static func letter(_ index: UInt32) -> String? {
    Unicode.Scalar(0x61 + index).map { String($0) }
  }

  private static func digit(_ index: UInt32) -> String? {
    Unicode.Scalar(0x30 + index).map { String($0) }
  }

  /// The Latin form of a mathematical Greek letter: 25 capitals and a sign, then 25 small letters
  /// and seven signs.
  private static func greek(_ index: UInt32) -> String? {
    let position = index < 26 ? index : index - 26
    guard position < 25, let small = Unicode.Scalar(0x3B1 + position) else { return nil }
    return table[small] ?? String(small)
  }

  private static let table: [Unicode.Scalar: String] = {
    var table: [Unicode.Scalar: String] = [:]
    for pair in pairs.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
      guard let key = pair.first else { continue }
      table[key] = String(pair.dropFirst())
    }
    return table
  }()

  /// Ligatures, letters that represent two, and Roman numerals; Latin letters with strokes and
  /// hooks, phonetic and small capital ones; Cyrillic, Greek, Armenian, Coptic, Lisu and Cherokee.
  /// Each is followed by the text that it looks like or is written as. A final sigma is a sigma,
  /// because the lower case of a capital one has no final form.
  private static let pairs = """
    ßss æae œoe ĳij ǆdz ǉlj ǌnj ǳdz þth ﬀff ﬁfi ﬂfl ﬃffi ﬄffl ﬅst ﬆst ⅰi ⅱii ⅲiii ⅳiv ⅴv ⅵvi
    ⅶvii ⅷviii ⅸix ⅹx ⅺxi ⅻxii
    ıi łl đd ðd øo ħh ŧt ŋn ĸk ŀl ŉn ſs əe ɑa ɡg ɩi ɪi ȷj ⅼl ⅽc ⅾd ⅿm ªa ºo
    ƀb ɓb ƃb ƈc ȼc ɖd ɗd ɇe ƒf ǥg ɠg ɦh ɨi ɉj ƙk ⱪk ƚl ɫl ɱm ɲn ƞn ɵo ƥp ɍr ɽr ʂs ȿs ƫt ƭt
    ʈt ⱦt ʉu ʋv ⱳw ƴy ɏy ƶz ȥz ɀz ⱥa
    ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz
    аa вb сc ԁd еe һh нh іi ӏl јj кk мm оo рp ԛq ѕs тt уy үy ѵv ԝw хx зz гr ьb
    ςσ αa βb ϐb ϲc εe ϵe ζz ηh ιi ϳj κk ϰk μm µm νn οo ρp ϱp τt υy ϒy χx ѡw
    օo սu ոn հh զq ցg յj
    ⲃb ⲏh ⲓi ⲕk ⲙm ⲛn ⲟo ⲣp ⲥc ⲧt ⲩy ⲭx ⲍz
    ꓐb ꓑp ꓓd ꓔt ꓖg ꓗk ꓙj ꓚc ꓜz ꓝf ꓟm ꓠn ꓡl ꓢs ꓣr ꓦv ꓧh ꓪw ꓫx ꓬy ꓮa ꓰe ꓲi ꓳo ꓴu
    ꭰd ꭱr ꭲt ꭵi ꭹy ꭺa ꭻj ꭼe ꮃw ꮇm ꮋh ꮍy ꮐg ꮒh ꮓz ꮞ4 ꮟb ꮢr ꮤw ꮥs ꮩv ꮪs ꮮl ꮯc ꮲp ꮶk ꮷd ꮾ6 ᏻg
    ᏼb
    """
}
