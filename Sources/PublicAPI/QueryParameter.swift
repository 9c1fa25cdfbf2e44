import Domain
import HTTP
import JSON
import Web

/// A query parameter with the required format of its value.
package struct QueryParameter: Sendable {
  /// The required format of a value; the gateway validates it before forwarding.
  package enum Kind: Sendable, Equatable {
    /// Any text of 1 to 500 characters.
    case text
    /// A time with an offset.
    case instant
    /// One data type.
    case dataType
    /// Data types, separated by commas.
    case dataTypes
    /// A UUID.
    case uuid
    /// One of these names.
    case choice([String])
    /// One or more of these names, separated by commas.
    case choices([String])
    /// A whole number within the bounds.
    case integer(ClosedRange<Int>)
    /// A point, `lat,lon`.
    case coordinate
  }

  /// The name in the query.
  package let name: String
  /// The required format of a value.
  package let kind: Kind
  /// Whether the parameter is mandatory.
  package let isRequired: Bool
  /// The description for the documentation.
  package let meaning: String

  /// A mandatory parameter.
  package static func required(_ name: String, _ kind: Kind, _ meaning: String) -> Self {
    Self(name: name, kind: kind, isRequired: true, meaning: meaning)
  }

  /// An optional parameter.
  package static func optional(_ name: String, _ kind: Kind, _ meaning: String) -> Self {
    Self(name: name, kind: kind, isRequired: false, meaning: meaning)
  }

  /// The parameters of a list.
  package static let paging: [QueryParameter] = [
    .optional("limit", .integer(1...500), "The maximum number of entries; 50 by default."),
    .optional("cursor", .text, "The `next` of the previous page."),
  ]

  /// The parameters of a period.
  package static let period: [QueryParameter] = [
    .optional("from", .instant, "The start of the period; by default the earliest data."),
    .optional("to", .instant, "The end of the period, exclusive; by default now."),
  ]
}

extension QueryParameter {
  /// Validates the value of this parameter in a query.
  ///
  /// - Throws: `Problem.malformed` with the required correction and the parameter's name as field.
  package func check(_ query: Query) throws(Problem) {
    guard let value = query[name] else {
      if isRequired { throw .malformed("The query parameter \(name) is missing.", field: name) }
      return
    }
    guard let expected = kind.expectation(unmetBy: value) else { return }
    throw .malformed("The query parameter \(name) must be \(expected).", field: name)
  }
}

extension Endpoint {
  /// Validates the query's parameters. Unknown ones are ignored, except in a DELETE: a misspelt
  /// filter would delete what it should have excluded.
  ///
  /// - Throws: `Problem.malformed` for the first invalid parameter, with its name as field.
  package func check(_ query: Query) throws(Problem) {
    for parameter in self.query { try parameter.check(query) }
    guard method == .delete else { return }
    for name in query.names where !self.query.contains(where: { $0.name == name }) {
      throw .malformed("This query parameter does not exist; nothing was deleted.", field: name)
    }
  }
}

extension QueryParameter.Kind {
  /// The expected format; nil if the value is valid.
  func expectation(unmetBy value: String) -> String? {
    switch self {
    case .text:
      value.isEmpty || value.unicodeScalars.count > 500 ? "a text of 1 to 500 characters" : nil
    case .instant:
      JSONFormat.dateTime.accepts(value.utf8Span.span)
        ? nil
        : "a time that exists, with its offset, such as 2024-02-29T08:30:00+01:00 (write + as %2B)"
    case .dataType:
      DataType(name: value) == nil ? "a data type, such as heartRate" : nil
    case .dataTypes:
      value.split(separator: ",", omittingEmptySubsequences: false)
        .allSatisfy { DataType(name: String($0)) != nil }
        ? nil : "data types separated by commas, such as heartRate,steps"
    case .uuid:
      JSONFormat.uuid.accepts(value.utf8Span.span) ? nil : "a UUID"
    case .choice(let names):
      names.contains(value) ? nil : "one of \(names.joined(separator: ", "))"
    case .choices(let names):
      value.split(separator: ",", omittingEmptySubsequences: false)
        .allSatisfy { names.contains(String($0)) }
        ? nil : "some of \(names.joined(separator: ", ")), separated by commas"
    case .integer(let bounds):
      Int(value).map(bounds.contains) == true
        ? nil : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    case .coordinate:
      (try? GeoPoint(value)) == nil ? "a point, such as 45.4642,9.1900" : nil
    }
  }

  /// The parameter's schema in OpenAPI, with a pattern where possible, so that generated calls are
  /// valid.
  package var schema: JSONSchema {
    switch self {
    case .text, .coordinate, .dataTypes, .choices: .string(lengthMin: 1)
    case .instant: .dateTime
    case .dataType: .oneOf(DataType.allCases.map(\.name))
    case .uuid: .uuid
    case .choice(let names): .oneOf(names)
    case .integer(let bounds): .integer(bounds)
    }
  }
}
