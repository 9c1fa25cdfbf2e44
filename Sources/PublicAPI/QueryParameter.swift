import Domain
import HTTP
import JSON

/// A parameter of a query and what its value must look like.
package struct QueryParameter: Sendable {
  /// What a value must look like; the gateway checks it before forwarding.
  package enum Kind: Sendable, Equatable {
    /// Any text of 1 to 500 characters.
    case text
    /// A time with an offset.
    case timestamp
    /// One data type.
    case dataType
    /// Data types, separated by commas.
    case dataTypes
    /// A UUID.
    case uuid
    /// One of these words.
    case word([String])
    /// Some of these words, separated by commas.
    case words([String])
    /// A whole number within the bounds.
    case integer(ClosedRange<Int>)
    /// A point, `lat,lon`.
    case coordinate
  }

  /// Its name.
  package let name: String
  /// What a value must look like.
  package let kind: Kind
  /// Whether it must be there.
  package let isRequired: Bool
  /// What it means, for a person.
  package let meaning: String

  /// A parameter that must be there.
  package static func required(_ name: String, _ kind: Kind, _ meaning: String) -> Self {
    Self(name: name, kind: kind, isRequired: true, meaning: meaning)
  }

  /// A parameter that may be left out.
  package static func optional(_ name: String, _ kind: Kind, _ meaning: String) -> Self {
    Self(name: name, kind: kind, isRequired: false, meaning: meaning)
  }

  /// The parameters of a list.
  package static let paging: [QueryParameter] = [
    .optional("limit", .integer(1...500), "How many entries to give at most; 50 if left out."),
    .optional("cursor", .text, "Where the page before ended: its `next`."),
  ]

  /// The parameters of a period.
  package static let period: [QueryParameter] = [
    .optional("from", .timestamp, "The first moment of the period; the beginning if left out."),
    .optional("to", .timestamp, "The moment after the period; now if left out."),
  ]
}

extension QueryParameter {
  /// Checks the value of this parameter in a query.
  ///
  /// - Throws: `Problem.malformed` that says what to change, with the parameter's name as field.
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
  /// Checks the query's parameters. Unknown ones are ignored, except where something is deleted: a
  /// misspelt filter would delete all that it was to spare.
  ///
  /// - Throws: `Problem.malformed` for the first that is wrong, with its name as field.
  package func check(_ query: Query) throws(Problem) {
    for parameter in self.query { try parameter.check(query) }
    guard method == .delete else { return }
    for name in query.names where !self.query.contains(where: { $0.name == name }) {
      throw .malformed("There is no such query parameter; nothing was deleted.", field: name)
    }
  }
}

extension QueryParameter.Kind {
  /// What the value should have been; nil if it is right.
  func expectation(unmetBy value: String) -> String? {
    switch self {
    case .text:
      value.isEmpty || value.unicodeScalars.count > 500 ? "a text of 1 to 500 characters" : nil
    case .timestamp:
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
    case .word(let words):
      words.contains(value) ? nil : "one of \(words.joined(separator: ", "))"
    case .words(let words):
      value.split(separator: ",", omittingEmptySubsequences: false)
        .allSatisfy { words.contains(String($0)) }
        ? nil : "some of \(words.joined(separator: ", ")), separated by commas"
    case .integer(let bounds):
      Int(value).map(bounds.contains) == true
        ? nil : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    case .coordinate:
      (try? GeoPoint(value)) == nil ? "a point, such as 45.4642,9.1900" : nil
    }
  }

  /// The parameter's shape in OpenAPI; what a pattern can say, so that generated calls get through.
  package var schema: JSONSchema {
    switch self {
    case .text, .coordinate, .dataTypes, .words: .string(lengthMin: 1)
    case .timestamp: .dateTime
    case .dataType: .oneOf(DataType.allCases.map(\.name))
    case .uuid: .uuid
    case .word(let words): .oneOf(words)
    case .integer(let bounds): .integer(bounds)
    }
  }
}
