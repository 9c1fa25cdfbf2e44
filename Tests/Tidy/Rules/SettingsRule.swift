/// The settings in the sources and the deployment are the documented ones.
enum SettingsRule {
  static let path = "docs/operations.md"

  static func findings(in file: SourceFile, documented: Set<String>) -> [Finding] {
    guard file.isProduct || file.path.hasPrefix("deploy/") else { return [] }
    return file.lines.enumerated().flatMap { index, line in
      // A comment may mention a setting that is only an example.
      names(in: line.drop { $0 == " " }.hasPrefix("//") ? "" : line)
        .filter { !documented.contains($0) && !documented.contains(settingRead(fromFile: $0)) }
        .sorted().map { file.finding(index, "\($0) is not in \(path)") }
    }
  }

  /// Documented settings that no source reads.
  static func findings(document: SourceFile, known: Set<String>) -> [Finding] {
    names(in: document.text).subtracting(known).sorted().map {
      document.finding(-1, "\($0) is read by no source")
    }
  }

  /// The setting whose file a variable names: `TRACKME_SMTP_URL_FILE` belongs to TRACKME_SMTP_URL.
  private static func settingRead(fromFile name: String) -> String {
    name.hasSuffix("_URL_FILE") ? String(name.dropLast("_FILE".count)) : name
  }

  static func names(in text: String) -> Set<String> {
    guard text.has("TRACKME_") else { return [] }
    return Set(text.matches(of: /\bTRACKME_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/).map { String($0.0) })
  }
}
