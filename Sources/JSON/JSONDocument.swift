/// A JSON object described once: its schema and its reader.
///
/// `JSONDocument(field, field, …, make: Body.init)` takes types and order of the values from the
/// initialiser. A hand-written reader beside a schema could accept another name, or another value,
/// than the schema promises.
///
/// ```swift
/// static let document = JSONDocument(
///   .required("runID", .runIdentifier),
///   .optional("keepName", .boolean, "Whether the result is shown under the name.", else: false),
///   make: LeaveRunBody.init)
/// ```
package struct JSONDocument<Content: Sendable>: Sendable {
  /// The schema of the object.
  package let schema: JSONSchema
  /// The fields while one object is read.
  fileprivate let begin: @Sendable () -> FieldReading<Content>

  /// An object with these fields, whose values `make` takes in their order; other fields are
  /// skipped. Reading costs an allocation for each field and a comparison of names for each pair of
  /// declared and sent fields.
  ///
  /// `make` throws `JSONError.refused` for values that do not fit each other; the error is placed
  /// at the object.
  package init<each Value: Sendable>(
    _ field: repeat JSONField<each Value>,
    make: @escaping @Sendable (repeat each Value) throws(JSONError) -> Content
  ) {
    var properties: [JSONSchema.Property] = []
    for field in repeat each field { properties += field.properties }
    schema = .object(properties)
    begin = {
      let readings = (repeat (each field).begin())
      return FieldReading(
        take: { (key, reader) throws(JSONError) in
          for reading in repeat each readings {
            if try reading.take(key, &reader) { return true }
          }
          return false
        },
        content: { (reader) throws(JSONError) in
          let values = (repeat try (each readings).content(reader))
          do throws(JSONError) { return try make(repeat each values) } catch {
            throw reader.placed(error)
          }
        })
    }
  }

  /// Reads the object.
  package func read(from reader: inout JSONReader) throws(JSONError) -> Content {
    let reading = begin()
    try reader.beginObject()
    while let key = try reader.nextField() { _ = try reading.take(key, &reader) }
    return try reading.content(reader)
  }
}

/// A field of a `JSONDocument`.
package struct JSONField<Value: Sendable>: Sendable {
  /// The field in the schema; several for a part, none for a refused field.
  fileprivate let properties: [JSONSchema.Property]
  /// The field while one object is read.
  fileprivate let begin: @Sendable () -> FieldReading<Value>

  /// A mandatory field.
  package static func required(
    _ name: String, _ form: JSONForm<Value>, _ description: String? = nil
  ) -> Self {
    Self(.required(name, form.schema, description), form, absent: nil)
  }

  /// An optional field whose absence means `absent`.
  package static func optional(
    _ name: String, _ form: JSONForm<Value>, _ description: String? = nil,
    else absent: Value
  ) -> Self {
    Self(.optional(name, form.schema, description), form, absent: absent)
  }

  /// An optional field; nil if it is absent.
  package static func optional<Wrapped: Sendable>(
    _ name: String, _ form: JSONForm<Wrapped>, _ description: String? = nil
  ) -> Self where Value == Wrapped? {
    let form = JSONForm<Value>(form.schema) { (reader) throws(JSONError) in
      try form.read(&reader)
    }
    return optional(name, form, description, else: nil)
  }

  /// The fields of another document, which several documents have, in the same object.
  package static func part(_ document: JSONDocument<Value>) -> Self {
    Self(properties: document.properties, begin: document.begin)
  }

  /// A field outside the schema that is refused with a sentence.
  package static func refused(
    _ name: String, _ sentence: String
  ) -> Self where Value == Void {
    Self(properties: []) {
      FieldReading(
        take: { (key, reader) throws(JSONError) in
          guard key.text.utf8.elementsEqual(name.utf8) else { return false }
          try reader.skip()
          throw reader.refusal(sentence)
        }, content: { (_) throws(JSONError) in })
    }
  }

  private init(
    properties: [JSONSchema.Property], begin: @escaping @Sendable () -> FieldReading<Value>
  ) {
    self.properties = properties
    self.begin = begin
  }

  /// A field of this form; `absent` is the value of an absent one, nil if it is mandatory.
  private init(_ property: JSONSchema.Property, _ form: JSONForm<Value>, absent: Value?) {
    let name = property.name
    self.init(properties: [property]) {
      let slot = Slot<Value>()
      return FieldReading(
        take: { (key, reader) throws(JSONError) in
          guard key.text.utf8.elementsEqual(name.utf8) else { return false }
          slot.value = try form.read(&reader)
          return true
        },
        content: { (reader) throws(JSONError) in
          guard let value = slot.value ?? absent else { throw reader.missing(name) }
          return value
        })
    }
  }
}

/// A field, or several, while an object is read.
private struct FieldReading<Value> {
  /// Reads the value if the key names the field; false otherwise.
  let take: (JSONKey, inout JSONReader) throws(JSONError) -> Bool
  /// The value for the content.
  let content: (borrowing JSONReader) throws(JSONError) -> Value
}

/// The value that was read of a field.
private final class Slot<Value> {
  var value: Value?
}

/// The form of a value in a document: its schema and its reader.
package struct JSONForm<Value: Sendable>: Sendable {
  /// The schema of the value.
  package let schema: JSONSchema
  /// Reads exactly one value.
  package let read: @Sendable (inout JSONReader) throws(JSONError) -> Value

  /// A value of this schema that is read by `read`.
  package init(
    _ schema: JSONSchema,
    _ read: @escaping @Sendable (inout JSONReader) throws(JSONError) -> Value
  ) {
    self.schema = schema
    self.read = read
  }
}

extension JSONForm where Value: JSONReadable {
  /// A value of this schema that the type reads.
  package init(_ schema: JSONSchema) {
    self.init(schema) { (reader) throws(JSONError) in try Value(from: &reader) }
  }
}

extension JSONForm<Bool> {
  /// `true` or `false`.
  package static var boolean: Self { Self(.boolean) }
}

extension JSONForm<String> {
  /// A string; by default at most 500 characters.
  package static func string(
    lengthMin: Int? = nil, lengthMax: Int? = 500, format: JSONFormat? = nil
  ) -> Self {
    Self(.string(lengthMin: lengthMin, lengthMax: lengthMax, format: format))
  }
}

/// A body that is described once by a document.
package protocol JSONDocumented: JSONReadable, Sendable {
  /// The description.
  static var document: JSONDocument<Self> { get }
}

extension JSONDocumented {
  /// Reads the body by its document.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self = try Self.document.read(from: &reader)
  }
}
