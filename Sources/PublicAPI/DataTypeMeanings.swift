import Domain

extension DataType {
  /// What a value of this type is, for the documentation: unit, range or words, LOINC (DAT-2).
  package var meaning: String {
    var parts: [String]
    switch valueKind {
    case .number(let range):
      parts = ["\(unit), \(range.lowerBound.shown) to \(range.upperBound.shown)"]
    case .position: parts = ["\(unit) in WGS 84"]
    case .code(let words): parts = [words.map { "`\($0)`" }.joined(separator: " or ")]
    }
    if !loincCodes.isEmpty { parts.append("LOINC \(loincCodes.joined(separator: " and "))") }
    return "`\(name)`: \(parts.joined(separator: ", "))"
  }
}

extension Double {
  /// Without the point of a whole number.
  fileprivate var shown: String { Int(exactly: self).map(\.description) ?? description }
}
