/// What a body or an answer looks like: checked by `JSONValidator`, published in OpenAPI.
///
/// ```swift
/// let upload = JSONSchema.object([
///   .required("dataTypes", .array(of: .string(), countMax: 10_000), "One for each value."),
///   .required("values", .array(of: .anyOf([.string(), .number()]), countMax: 10_000)),
///   .optional("birthdate", .date),
/// ])
/// ```
package struct JSONSchema: Sendable, Equatable {
  /// What kinds of value fit.
  package var shape: Shape
  /// What the value means, for a person.
  package var description: String?
  /// A value that fits, as JSON text.
  package var example: String?

  /// The kinds of value a schema can ask for.
  package indirect enum Shape: Sendable, Equatable {
    /// Any value at all.
    case any
    /// A string.
    case string(StringRule)
    /// A whole number within the bounds, both included.
    case integer(minimum: Int?, maximum: Int?)
    /// A number within the bounds, both included.
    case number(minimum: Double?, maximum: Double?)
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
    /// An array.
    case array(of: JSONSchema, countMin: Int, countMax: Int?)
    /// An object; fields it does not name may hold anything.
    case object([Property])
    /// An object of any field names, whose values all fit one schema.
    case dictionary(of: JSONSchema)
    /// A value that fits at least one of the alternatives.
    case anyOf([JSONSchema])
  }

  /// What is asked of a string; lengths are in characters (Unicode code points), both included.
  package struct StringRule: Sendable, Equatable {
    /// Least length; nil is 1 in a mandatory field and 0 elsewhere.
    package var lengthMin: Int?
    /// Greatest length; nil leaves it to the reader's limit.
    package var lengthMax: Int?
    /// What the text must look like.
    package var format: JSONFormat?
    /// The only values allowed; empty if there is no such list.
    package var allowed: [String] = []
  }

  /// A named field of an object.
  package struct Property: Sendable, Equatable {
    /// Its name.
    package var name: String
    /// What its value must look like.
    package var schema: JSONSchema
    /// Whether it must be there.
    package var isRequired: Bool
  }

  /// Makes a schema of a shape.
  package init(_ shape: Shape) { self.shape = shape }
}

extension JSONSchema.Property {
  /// A field that must be there; a string in it must not be empty, unless its schema says so.
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

  /// A field that may be left out; `null` is not the same as left out.
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
  /// A text as long as the reader's limits allow, for answers.
  package static let text = string(lengthMax: nil)

  /// A string; at most 500 characters unless said.
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

  /// An array; `countMax` nil sets no bound beside the size of the body.
  package static func array(
    of element: JSONSchema, countMin: Int = 0, countMax: Int? = nil
  ) -> JSONSchema {
    JSONSchema(.array(of: element, countMin: countMin, countMax: countMax))
  }

  /// An object; at most 64 of its fields may be mandatory.
  package static func object(_ properties: [Property]) -> JSONSchema {
    JSONSchema(.object(properties))
  }

  /// An object of any field names with values of one schema.
  package static func dictionary(of value: JSONSchema) -> JSONSchema {
    JSONSchema(.dictionary(of: value))
  }

  /// A value that fits one of the alternatives at least.
  ///
  /// Alternatives of different kinds cost nothing; those of the same kind are tried in turn.
  package static func anyOf(_ alternatives: [JSONSchema]) -> JSONSchema {
    JSONSchema(.anyOf(alternatives))
  }

  /// This or `null`.
  package var nullable: JSONSchema {
    var schema = JSONSchema.anyOf([self, .null])
    schema.description = description
    return schema
  }

  /// This, or `null` or an empty string, which count as a field that is left out: for clients that
  /// send every field of a body.
  package var emptyable: JSONSchema {
    // Last, so that its error is the one that is told.
    var schema = JSONSchema.anyOf([.null, .string(lengthMax: 0), self])
    schema.description = description
    return schema
  }

  /// The same with a description for a person.
  package func described(_ description: String) -> JSONSchema {
    var schema = self
    schema.description = description
    return schema
  }

  /// The same with an example, as JSON text, such as `"\"RSSMRA80A01H501U\""`.
  package func example(_ json: String) -> JSONSchema {
    var schema = self
    schema.example = json
    return schema
  }
}
