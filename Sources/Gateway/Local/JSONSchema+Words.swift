import JSON

extension JSONSchema {
  /// A description of the valid values for readers: `whole number from 1 to 500`, `one of M, F`.
  var phrase: String {
    switch shape {
    case .any: "anything"
    case .string(let rule): rule.phrase
    case .integer(let minimum, let maximum):
      "whole number" + Self.bounds(minimum.map { "\($0)" }, maximum.map { "\($0)" })
    case .number(let minimum, let maximum):
      "number" + Self.bounds(minimum.map { "\($0)" }, maximum.map { "\($0)" })
    case .boolean: "true or false"
    case .null: "null"
    case .array(let element, _, let countMax):
      "list\(countMax.map { " (at most \($0))" } ?? "") of \(element.phrase)"
    case .object: "object"
    case .dictionary(let value): "object of any names, each \(value.phrase)"
    case .anyOf(let alternatives): alternatives.map(\.phrase).joined(separator: ", or ")
    }
  }

  private static func bounds(_ minimum: String?, _ maximum: String?) -> String {
    switch (minimum, maximum) {
    case (nil, nil): ""
    case (let least?, nil): " from \(least)"
    case (nil, let greatest?): " to \(greatest)"
    case (let least?, let greatest?): " from \(least) to \(greatest)"
    }
  }
}

extension JSONSchema.StringRule {
  /// A description of the valid texts for readers.
  fileprivate var phrase: String {
    if !allowed.isEmpty {
      return allowed.count == 1 ? allowed[0] : "one of \(allowed.joined(separator: ", "))"
    }
    if let format { return format.rawValue }
    return lengthMax.map { "text of at most \($0) characters" } ?? "text"
  }
}
