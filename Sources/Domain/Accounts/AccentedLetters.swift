/// Letters that Unicode has as one character with their accents. Names are compared without
/// accents, in either of Unicode's two spellings (`\u{15F}`, or `s` and `\u{327}`).
///
/// Every small letter of Latin, Greek, Cyrillic, Japanese, Hebrew, Arabic and northern Indic
/// scripts with a canonical decomposition into a letter and marks. A test compares the table with
/// Foundation's decomposition, which this module can't import.
enum AccentedLetters {
  /// The letter without accents, for each letter that has some.
  static let bases: [Unicode.Scalar: Unicode.Scalar] = {
    var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
    for group in groups.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
      guard let base = group.first else { continue }
      for accented in group.dropFirst() { bases[accented] = base }
    }
    return bases
  }()

  /// Each base letter, followed by its accented forms.
  private static let groups = """
    aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ bḃḅḇ cçćĉċčḉ dďḋḍḏḑḓ eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ fḟ gĝğġģǧǵḡ
    hĥȟḣḥḧḩḫẖ iìíîïĩīĭįǐȉȋḭḯỉị jĵǰ kķǩḱḳḵ lĺļľḷḹḻḽ mḿṁṃ nñńņňǹṅṇṉṋ
    oòóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ pṕṗ rŕŗřȑȓṙṛṝṟ sśŝşšșṡṣṥṧṩ tţťțṫṭṯṱẗ
    uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự vṽṿ wŵẁẃẅẇẉẘ xẋẍ yýÿŷȳẏẙỳỵỷỹ zźżžẑẓẕ æǣǽ øǿ ſẛ ʒǯ ʹʹ
    αάἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ εέἐἑἒἓἔἕὲέ ηήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ ιΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ
    οόὀὁὂὃὄὅὸό ρῤῥ υΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ ωώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ ϒϓϔ аӑӓ гѓ еѐёӗ жӂӝ зӟ ийѝӣӥ
    кќ оӧ уўӯӱӳ чӵ ыӹ эӭ ії ѵѷ әӛ өӫ うゔ かが きぎ くぐ けげ こご さざ しじ すず せぜ そぞ ただ ちぢ つづ てで とど はばぱ ひびぴ
    ふぶぷ へべぺ ほぼぽ ゝゞ ウヴ カガ キギ クグ ケゲ コゴ サザ シジ スズ セゼ ソゾ タダ チヂ ツヅ テデ トド ハバパ ヒビピ フブプ ヘベペ ホボポ ワヷ ヰヸ
    ヱヹ ヲヺ ヽヾ
    \u{627}\u{622}\u{623}\u{625} \u{648}\u{624} \u{64A}\u{626} \u{6D5}\u{6C0} \u{6C1}\u{6C2}
    \u{6D2}\u{6D3} \u{928}\u{929} \u{930}\u{931} \u{933}\u{934} \u{915}\u{958} \u{916}\u{959}
    \u{917}\u{95A} \u{91C}\u{95B} \u{921}\u{95C} \u{922}\u{95D} \u{92B}\u{95E} \u{92F}\u{95F}
    \u{9A1}\u{9DC} \u{9A2}\u{9DD} \u{9AF}\u{9DF} \u{A32}\u{A33} \u{A38}\u{A36} \u{A16}\u{A59}
    \u{A17}\u{A5A} \u{A1C}\u{A5B} \u{A2B}\u{A5E} \u{B21}\u{B5C} \u{B22}\u{B5D}
    \u{5D9}\u{FB1D}\u{FB39} \u{5F2}\u{FB1F} \u{5E9}\u{FB2A}\u{FB2B}\u{FB2C}\u{FB2D}\u{FB49}
    \u{5D0}\u{FB2E}\u{FB2F}\u{FB30} \u{5D1}\u{FB31}\u{FB4C} \u{5D2}\u{FB32} \u{5D3}\u{FB33}
    \u{5D4}\u{FB34} \u{5D5}\u{FB35}\u{FB4B} \u{5D6}\u{FB36} \u{5D8}\u{FB38} \u{5DA}\u{FB3A}
    \u{5DB}\u{FB3B}\u{FB4D} \u{5DC}\u{FB3C} \u{5DE}\u{FB3E} \u{5E0}\u{FB40} \u{5E1}\u{FB41}
    \u{5E3}\u{FB43} \u{5E4}\u{FB44}\u{FB4E} \u{5E6}\u{FB46} \u{5E7}\u{FB47} \u{5E8}\u{FB48}
    \u{5EA}\u{FB4A}
    """
}
