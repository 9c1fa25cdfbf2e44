/// The schema of a body or a response: checked by `JSONValidator`, published in OpenAPI.
///
/// ```swift
/// let upload = JSONSchema.object([
///   .required("dataTypes", .array(of: .string(), countMax: 10_000), "One for each value."),
///   .required("values", .array(of: .anyOf([.string(), .number()]), countMax: 10_000)),
///   .optional("birthdate", .date),
/// ])
/// ```
package struct JSONSchema: Sendable, Equatable {
  /// The values that fit.
  package var shape: Shape
  /// The meaning of the value, for people.
  package var description: String?
  /// An example of a fitting value, as JSON text.
  package var example: String?

  /// The kinds of values that a schema can require.
  package indirect enum Shape: Sendable, Equatable {
    /// Any value.
    case any
    /// A string.
    case string(StringRule)
    /// A whole number within inclusive bounds.
    case integer(minimum: Int?, maximum: Int?)
    /// A number within inclusive bounds.
    case number(minimum: Double?, maximum: Double?)
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
    /// An array.
    case array(of: JSONSchema, countMin: Int, countMax: Int?)
    /// An object; unknown fields may have any value.
    case object([Property])
    /// An object with any field names, whose values all fit one schema.
    case dictionary(of: JSONSchema)
    /// A value that fits at least one of the alternatives.
    case anyOf([JSONSchema])
  }

  /// The constraints on a string; lengths are in characters (Unicode code points), inclusive.
  package struct StringRule: Sendable, Equatable {
    /// Minimum length; nil is 1 in a mandatory field and 0 elsewhere.
    package var lengthMin: Int?
    /// Maximum length; for nil the reader's limit applies.
    package var lengthMax: Int?
    /// The format of the text.
    package var format: JSONFormat?
    /// The allowed values; empty for any value.
    package var allowed: [String] = []
  }

  /// A named field of an object.
  package struct Property: Sendable, Equatable {
    /// Its name.
    package var name: String
    /// The schema of its value.
    package var schema: JSONSchema
    /// Whether it is mandatory.
    package var isRequired: Bool
  }

  /// Creates a schema of a shape.
  package init(_ shape: Shape) { self.shape = shape }
}

extension JSONSchema.Property {
  /// A mandatory field; a string in it must not be empty unless its schema allows it.
  package static func required(
    _ name: String, _ schema: JSONSchema, _ description: String? = nil
  ) -> Self {
    var schema = schema
    if case .string(var rule) = schema.shape, rule.lengthMin == nil, rule.allowed.isEmpty {
      rule.lengthMin = 1
      schema.shape = .string(rule)
    }
    if let description { schema.description = description }
    return Self(name: name, schema: schema, isRequired: true)
  }

  /// An optional field; `null` does not count as omitted.
  package static func optional(
    _ name: String, _ schema: JSONSchema, _ description: String? = nil
  ) -> Self {
    var schema = schema
    if let description { schema.description = description }
    return Self(name: name, schema: schema, isRequired: false)
  }
}

extension JSONSchema {
  /// Any value.
  package static let any = JSONSchema(.any)
  /// `true` or `false`.
  package static let boolean = JSONSchema(.boolean)
  /// `null`.
  package static let null = JSONSchema(.null)
  /// A calendar date, `YYYY-MM-DD`.
  package static let date = string(lengthMax: 10, format: .date)
  /// A time with an offset (RFC 3339).
  package static let dateTime = string(lengthMax: 64, format: .dateTime)
  /// An email address.
  package static let email = string(lengthMax: 254, format: .email)
  /// A UUID in its text form.
  package static let uuid = string(lengthMax: 36, format: .uuid)
  /// A text of any length within the reader's limits, for responses.
  package static let text = string(lengthMax: nil)

  /// A string; by default at most 500 characters.
  package static func string(
    lengthMin: Int? = nil, lengthMax: Int? = 500, format: JSONFormat? = nil
  ) -> JSONSchema {
    JSONSchema(.string(StringRule(lengthMin: lengthMin, lengthMax: lengthMax, format: format)))
  }

  /// One of the given strings.
  package static func oneOf(_ allowed: [String]) -> JSONSchema {
    JSONSchema(.string(StringRule(allowed: allowed)))
  }

  /// A whole number.
  package static func integer(_ bounds: ClosedRange<Int>) -> JSONSchema {
    integer(minimum: bounds.lowerBound, maximum: bounds.upperBound)
  }

  /// A whole number of at most 64 bits.
  package static func integer(minimum: Int? = nil, maximum: Int? = nil) -> JSONSchema {
    JSONSchema(.integer(minimum: minimum, maximum: maximum))
  }

  /// A number.
  package static func number(_ bounds: ClosedRange<Double>) -> JSONSchema {
    number(minimum: bounds.lowerBound, maximum: bounds.upperBound)
  }

  /// A number.
  package static func number(minimum: Double? = nil, maximum: Double? = nil) -> JSONSchema {
    JSONSchema(.number(minimum: minimum, maximum: maximum))
  }

  /// An array; for a nil `countMax` only the size of the body limits it.
  package static func array(
    of element: JSONSchema, countMin: Int = 0, countMax: Int? = nil
  ) -> JSONSchema {
    JSONSchema(.array(of: element, countMin: countMin, countMax: countMax))
  }

  /// An object with at most 64 mandatory fields.
  package static func object(_ properties: [Property]) -> JSONSchema {
    JSONSchema(.object(properties))
  }

  /// An object with any field names and values of one schema.
  package static func dictionary(of value: JSONSchema) -> JSONSchema {
    JSONSchema(.dictionary(of: value))
  }

  /// A value that fits at least one of the alternatives.
  ///
  /// Alternatives of different kinds have no cost; those of the same kind are tried in order.
  package static func anyOf(_ alternatives: [JSONSchema]) -> JSONSchema {
    JSONSchema(.anyOf(alternatives))
  }

  /// This or `null`.
  package var nullable: JSONSchema {
    var schema = JSONSchema.anyOf([self, .null])
    schema.description = description
    return schema
  }

  /// This, `null` or an empty string; both count as an omitted field. For clients that send every
  /// field of a body.
  package var emptyable: JSONSchema {
    // `self` is last, so that its error is reported.
    var schema = JSONSchema.anyOf([.null, .string(lengthMax: 0), self])
    schema.description = description
    return schema
  }

  /// The same schema with a description for people.
  package func described(_ description: String) -> JSONSchema {
    var schema = self
    schema.description = description
    return schema
  }

  /// The same schema with an example as JSON text, such as `"\"RSSMRA80A01H501U\""`.
  package func example(_ json: String) -> JSONSchema {
    var schema = self
    schema.example = json
    return schema
  }
}
