/// Every statement is in a list that a test compares with the schema.
///
/// The rule works on text: the product mentions each type that conforms to `Statement` as
/// `Name.self`. It ignores `Sources/Postgres`, whose statements begin and end transactions.
enum StatementsRule {
  static func findings(in files: [SourceFile]) -> [Finding] {
    let files = files.filter { $0.isProduct && !$0.path.hasPrefix("Sources/Postgres/") }
    var listed: Set<Substring> = []
    for line in files.flatMap(\.code) where line.has(".self") {
      for match in line.matches(of: /\b(\w+)\.self\b/) { listed.insert(match.1) }
    }
    return files.flatMap { findings(in: $0, listed: listed) }
  }

  private static func findings(in file: SourceFile, listed: Set<Substring>) -> [Finding] {
    file.code.enumerated().compactMap { index, line in
      guard line.has(": Statement") || line.has(": RunList"),
        let match = line.firstMatch(
          of: /\b(?:struct|enum|class)\s+(\w+)\s*:\s*(?:Statement|RunList)\b/),
        !listed.contains(match.1)
      else { return nil }
      return file.finding(
        index, "\(match.1) is in no list of statements that is compared with the schema")
    }
  }
}
