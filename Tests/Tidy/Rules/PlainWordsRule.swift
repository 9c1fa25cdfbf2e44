/// Comments, documents and messages are plain sentences: the share of fifteen idioms may only fall.
///
/// The idioms paraphrase a subject or a state, so that readers with another native language read
/// the sentence twice. The rule counts them per 10,000 words in comments of Swift and SQL, in
/// documents, and in one-line literals of the product with at least three words, such as log
/// messages and error texts.
enum PlainWordsRule {
  /// The most idioms per 10,000 words; it may only fall.
  static let ceiling = 12

  /// How many of the worst files a failure lists.
  private static let shownMax = 20

  struct Count {
    var words = 0
    var idioms = 0

    var share: Double { words == 0 ? 0 : Double(idioms) * 10_000 / Double(words) }

    static func += (sum: inout Count, other: Count) {
      sum.words += other.words
      sum.idioms += other.idioms
    }
  }

  /// The files with the most idioms if the share of all files together exceeds the limit.
  static func findings(
    in files: [SourceFile], limit: Int = PlainWordsRule.ceiling
  ) -> [Finding] {
    let counts = files.map { (file: $0, count: count(in: $0)) }
    let total = counts.reduce(into: Count()) { $0 += $1.count }
    guard total.share > Double(limit) else { return [] }
    let worst = counts.filter { $0.count.idioms > 0 }
      .sorted { ($0.count.idioms, $1.file.path) > ($1.count.idioms, $0.file.path) }
    return worst.prefix(shownMax).map { entry in
      let (idioms, words) = (entry.count.idioms, entry.count.words)
      return entry.file.finding(
        -1,
        "\(idioms) idioms in \(words) words; all files have \(Int(total.share.rounded(.up))) "
          + "per 10,000, the limit is \(limit)")
    }
  }

  static func count(in file: SourceFile) -> Count {
    var sum = count(prose(of: file).joined(separator: " "))
    if file.isProduct {
      for message in messages(of: file) { sum += count(message) }
    }
    return sum
  }

  static func count(_ text: String) -> Count {
    var result = Count(words: text.utf8.split(whereSeparator: isBlank).count)
    let all = words(of: text)
    for (index, word) in all.enumerated() {
      let next = index + 1 < all.count ? all[index + 1] : ""
      let third = index + 2 < all.count ? all[index + 2] : ""
      if isIdiom(word, next, third) { result.idioms += 1 }
    }
    return result
  }

  // MARK: Idioms

  private static let singleWords: Set = [
    "whoever", "stand", "stands", "nobody", "give", "gives", "away",
  ]

  private static let pairs: [String: Set<String>] = [
    "who": ["is", "was", "has", "waits", "asks", "takes", "gets", "wants", "reads"],
    "no": ["more"], "any": ["more"], "so": ["many", "long"], "go": ["on"], "goes": ["on"],
    "of": ["whom", "which"],
  ]

  private static func isIdiom(_ word: String, _ next: String, _ third: String) -> Bool {
    if singleWords.contains(word) { return true }
    if word == "is" { return next == "to" && third == "be" }
    guard pairs[word]?.contains(next) == true else { return false }
    return word != "so" || third != "as"
  }

  /// The words in lower case, with an empty one for each other character except blanks, so that
  /// punctuation separates the words of an idiom.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    for part in text.utf8.split(whereSeparator: isBlank) {
      var word: [UInt8] = []
      for byte in part {
        if isWord(byte) {
          word.append(byte)
          continue
        }
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self).lowercased()) }
        words.append("")
        word = []
      }
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self).lowercased()) }
    }
    return words
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF: true
    default: false
    }
  }

  // MARK: Texts

  /// The lines of a document or the comments of a source.
  private static func prose(of file: SourceFile) -> [String] {
    if file.isSwift { return comments(of: file) }
    if file.path.hasSuffix(".sql") { return file.lines.compactMap { tail(of: $0, after: "--") } }
    return isDocument(file.path) ? file.lines : []
  }

  /// The table of tests is generated and repeats their titles.
  private static func isDocument(_ path: String) -> Bool {
    guard path.hasSuffix(".md"), path != "docs/traceability.md" else { return false }
    return path == "README.md" || path.hasPrefix("docs/")
  }

  private static func comments(of file: SourceFile) -> [String] {
    zip(file.lines, file.code).compactMap { line, code -> String? in
      guard line.has("//") else { return nil }
      let text = line.drop { $0 == " " }
      if text.hasPrefix("//") { return String(text.drop { $0 == "/" }) }
      guard let comment = tail(of: line, after: " // ") else { return nil }
      // A literal may contain the slashes: code follows it.
      return code.utf8.suffix(comment.utf8.count).allSatisfy(isBlank) ? comment : nil
    }
  }

  private static func tail(of line: String, after mark: String) -> String? {
    guard line.has(mark), let range = line.firstRange(of: mark) else { return nil }
    return String(line[range.upperBound...])
  }

  /// The contents of literals: the masked parts of lines with a quotation mark in the code.
  private static func messages(of file: SourceFile) -> [String] {
    zip(file.lines, file.code).flatMap { line, code -> [String] in
      guard code.has("\"") else { return [] }
      let bytes = zip(line.utf8, code.utf8).map { $0.1 == UInt8(ascii: " ") ? $0.0 : 0 }
      return bytes.split(separator: 0)
        .filter { $0.split(whereSeparator: isBlank).count > 2 }
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
