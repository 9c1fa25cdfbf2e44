import Foundation

/// The last results of `make bench` by benchmark, stored in `docs/benchmarks.json`.
package struct Measurements: Sendable {
  /// The figures of one benchmark, measured in one run.
  package struct Part: Decodable, Sendable {
    /// One figure with its bounds.
    package struct Figure: Decodable, Sendable {
      var what: String
      var reached: Double
      var unit: String
      /// `most` for an upper bound, `least` for a lower bound.
      var bound: String
      var must: Double?
      var holds: Bool
    }

    var date: String
    var commit: String
    var machine: String
    /// The digest of the measured code (`Tests/Bench/evidence.py`).
    var code: String
    var figures: [Figure]
  }

  private struct Document: Decodable {
    var parts: [String: Part]
  }

  private let parts: [String: Part]
  /// The digest of the current code by benchmark.
  private let code: [String: String]

  /// No measurements.
  package static let none = Measurements()

  private init() { (parts, code) = ([:], [:]) }

  /// The measurements of a document, with the digests of the current code.
  ///
  /// Throws `DecodingError` for a malformed document.
  package init(document: Data, code: Data) throws {
    parts = try JSONDecoder().decode(Document.self, from: document).parts
    self.code = try JSONDecoder().decode([String: String].self, from: code)
  }

  /// Whether the benchmark's code has changed since the measurement.
  private func isStale(_ name: String, _ part: Part) -> Bool { code[name] != part.code }

  /// The reason why the benchmark is not evidence for a requirement marked done; nil if it is
  /// evidence.
  func gap(in name: String) -> String? {
    guard let part = parts[name] else {
      return "`make bench` has not measured `\(name)`"
    }
    let bounded = part.figures.filter { $0.must != nil }
    guard let missed = bounded.first(where: { !$0.holds }) else {
      return bounded.isEmpty ? "`\(name)` has no figure with a bound" : nil
    }
    return "`\(name)` missed its bound: \(missed.sentence)"
  }

  /// The lines of a table cell: a heading, then each figure with a bound.
  func lines(of name: String) -> [String] {
    guard let part = parts[name] else { return ["not measured: `\(name)`"] }
    let state = isStale(name, part) ? "stale, measured" : "measured"
    let head = "\(state) \(part.date) at \(part.commit) on \(part.machine): `\(name)`"
    return [head] + part.figures.filter { $0.must != nil }.map(\.sentence)
  }
}

extension Measurements.Part.Figure {
  /// The figure and its bound as text.
  fileprivate var sentence: String {
    var text = "\(what) \(Self.amount(reached, unit))"
    if let must {
      text += " (\(holds ? "" : "missed: ")at \(bound) \(Self.amount(must, unit)))"
    }
    return text
  }

  private static func amount(_ value: Double, _ unit: String) -> String {
    let digits = abs(value) >= 100 || value == value.rounded() ? 0 : 2
    let text = value.formatted(
      .number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_US_POSIX")))
    return unit.isEmpty ? text : "\(text) \(unit)"
  }
}
