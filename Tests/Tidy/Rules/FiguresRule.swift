import Foundation

/// Each figure of `docs/benchmarks.json` that misses its bound or aim is named with its present
/// value under "Missed bounds and aims" of `docs/benchmarks.md`, which says what would help.
enum FiguresRule {
  static let path = "docs/benchmarks.md"
  static let figures = "docs/benchmarks.json"

  /// Throws a `DecodingError` if the figures cannot be read.
  static func findings(document: String, figures: Data) throws -> [Finding] {
    let section = section(of: document)
    let parts = try JSONDecoder().decode(File.self, from: figures).parts
    return parts.sorted { $0.key < $1.key }.flatMap { part, measured in
      measured.figures.filter(\.misses).compactMap { figure in
        let texts = texts(of: figure.reached)
        guard !texts.contains(where: { isNamed($0, in: section) }) else { return nil }
        return Finding(
          path: path, line: 0,
          message: "\(part): \"\(figure.what)\" misses its bound or aim, and "
            + "\"Missed bounds and aims\" has none of \(texts)")
      }
    }
  }

  private struct File: Decodable {
    let parts: [String: Part]
  }

  private struct Part: Decodable {
    let figures: [Figure]
  }

  private struct Figure: Decodable {
    let what: String
    let reached: Double
    let bound: String
    let must: Double?
    let aim: Double?

    var misses: Bool {
      [must, aim].compactMap(\.self).contains { bound == "most" ? reached > $0 : reached < $0 }
    }
  }

  private static func section(of document: String) -> String {
    let parts = document.components(separatedBy: "\n## Missed bounds and aims\n")
    guard parts.count > 1 else { return "" }
    let rows = parts[1].components(separatedBy: "\n## ")[0].split(separator: "\n")
    // A row is figure, reached with bounds, what is left, what would help; bounds are not values.
    let reached = rows.compactMap { $0.split(separator: "|").dropFirst().first }
    return reached.map { $0.replacing(/(aims?|must) [\d., and]+/, with: "") }
      .joined(separator: "\n")
  }

  /// The ways to write a value: with two decimals, or whole with thousands apart.
  private static func texts(of value: Double) -> [String] {
    if value < 100 {
      let whole = value == value.rounded() ? [String(Int(value))] : []
      return [String(format: "%.2f", value)] + whole
    }
    var whole = String(Int(value.rounded()))
    var place = whole.count - 3
    while place > 0 {
      whole.insert(",", at: whole.index(whole.startIndex, offsetBy: place))
      place -= 3
    }
    return [whole]
  }

  /// Whether the section has the number itself, and not as a part of another one.
  private static func isNamed(_ number: String, in section: String) -> Bool {
    section.ranges(of: number).contains { range in
      let before =
        range.lowerBound > section.startIndex
        ? section[section.index(before: range.lowerBound)] : " "
      let after = range.upperBound < section.endIndex ? section[range.upperBound] : " "
      return !before.isNumber && !".,".contains(before) && !after.isNumber
    }
  }
}
