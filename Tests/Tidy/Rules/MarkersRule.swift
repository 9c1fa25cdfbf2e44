/// No unfinished work is merged: open tasks belong in an issue, not in the source.
enum MarkersRule {
  /// Spelled in two parts, so that this file obeys its own rule.
  static let markers = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]

  static func findings(in file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard markers.contains(where: line.has) else { return nil }
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      guard let marker = markers.first(where: { words.contains($0[...]) }) else { return nil }
      return file.finding(index, "\(marker): do it, or open an issue")
    }
  }
}
