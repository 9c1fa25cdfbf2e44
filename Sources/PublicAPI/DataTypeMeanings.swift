import Domain

extension DataType {
  /// The documentation of this type's values: unit, range or allowed words, LOINC (DAT-2).
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
  /// The number, without a decimal point if it is whole.
  fileprivate var shown: String { Int(exactly: self).map(\.description) ?? description }
}
