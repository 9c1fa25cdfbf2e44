/// The register, the test tags and all mentions agree on the existing requirements.
enum RequirementsRule {
  static let registerPath = "docs/requirements.md"
  static let tagsPath = "Tests/Requirements/Tags.swift"
  static let states: Set = ["open", "partial", "done"]

  /// The identifiers in the register's tables, in order.
  static func identifiers(inRegister text: String) -> [String] {
    text.matches(of: rowPattern).map { String($0.1) }
  }

  /// The identifiers of the tags: `ACC_1` is `ACC-1`.
  static func identifiers(inTags text: String) -> [String] {
    text.matches(of: /@Tag package static var (\w+): Self/).map {
      String($0.1).replacing("_", with: "-")
    }
  }

  static func findings(register: SourceFile, tags: SourceFile) -> [Finding] {
    let registered = identifiers(inRegister: register.text)
    let tagged = identifiers(inTags: tags.text)
    return repeated(registered, register) + repeated(tagged, tags)
      + Set(registered).subtracting(tagged).sorted().map {
        Finding(path: tagsPath, line: 0, message: "\($0) of the register has no tag")
      }
      + Set(tagged).subtracting(registered).sorted().map {
        Finding(path: registerPath, line: 0, message: "the tag \($0) is not in the register")
      }
  }

  /// The second column of a row is its state.
  static func stateFindings(register: SourceFile) -> [Finding] {
    register.lines.enumerated().compactMap { index, line in
      guard let row = line.firstMatch(of: rowPattern) else { return nil }
      let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
      let state = cells.count > 1 ? String(cells[1].prefix { $0 != " " }) : ""
      guard !states.contains(state) else { return nil }
      return register.finding(index, "\(row.1) is open, partial or done, not '\(state)'")
    }
  }

  /// Mentions such as `ACC-7` in any text, and tags used by tests.
  static func mentions(in file: SourceFile, known: Set<String>) -> [Finding] {
    let families = Set(known.compactMap { $0.split(separator: "-").count == 2 ? family($0) : nil })
    return file.lines.enumerated().flatMap { index, line -> [Finding] in
      guard families.contains(where: { line.has($0 + "-") || line.has($0 + "_") }) else {
        return []
      }
      return line.matches(of: /\b([A-Z][A-Z0-9]+)[-_](\d+)\b/).compactMap { match in
        let identifier = "\(match.1)-\(match.2)"
        guard families.contains(String(match.1)), !known.contains(identifier) else { return nil }
        return file.finding(index, "\(identifier) is not in \(registerPath)")
      }
    }
  }

  /// A test with more than four requirements has a comment above it that gives the reason.
  static func unexplained(in file: SourceFile) -> [Finding] {
    var finding: [Finding] = []
    var head: Int?
    for (index, line) in file.lines.enumerated() {
      if line.has("@Test(") { head = index }
      guard let first = head, let tags = line.firstMatch(of: /\.tags\(([^)]*)\)/) else { continue }
      let count = tags.1.split(separator: ",").count
      let above = first > 0 ? file.lines[first - 1].drop { $0 == " " } : ""
      if count > namedMax && !above.hasPrefix("//") {
        finding.append(
          file.finding(index, "\(count) requirements: a comment above says why one test shows all"))
      }
      head = nil
    }
    return finding
  }

  /// The most requirements of a test without a reason.
  private static let namedMax = 4

  private static var rowPattern: Regex<(Substring, Substring)> {
    /(?m)^\| (R\d+|[A-Z0-9]+-\d+) \|/
  }

  private static func family(_ identifier: String) -> String {
    String(identifier.prefix { $0 != "-" })
  }

  private static func repeated(_ identifiers: [String], _ file: SourceFile) -> [Finding] {
    Dictionary(grouping: identifiers, by: \.self).filter { $0.value.count > 1 }.keys.sorted().map {
      file.finding(-1, "\($0) stands there more than once")
    }
  }
}
