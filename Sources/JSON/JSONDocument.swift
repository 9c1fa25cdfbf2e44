/// A JSON object described once: its schema and its reader.
///
/// `JSONDocument(field, field, …, make: Body.init)` takes types and order of the values from the
/// initialiser. A reader that was written by hand beside a schema could accept another name, or
/// another value, than the schema promises.
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
  private let content: @Sendable (inout JSONReader) throws(JSONError) -> Content

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
    for field in repeat each field { properties.append(field.property) }
    schema = .object(properties)
    content = { (reader: inout JSONReader) throws(JSONError) in
      let slots = (repeat Slot(each field))
      try reader.beginObject()
      while let key = try reader.nextField() {
        for slot in repeat each slots {
          if try slot.take(key, from: &reader) { break }
        }
      }
      let values = (repeat try (each slots).content(in: reader))
      do throws(JSONError) { return try make(repeat each values) } catch {
        throw reader.placed(error)
      }
    }
  }

  /// Reads the object.
  package func read(from reader: inout JSONReader) throws(JSONError) -> Content {
    try content(&reader)
  }
}

/// A field of a `JSONDocument`.
package struct JSONField<Value: Sendable>: Sendable {
  fileprivate let name: String
  fileprivate let form: JSONForm<Value>
  /// The value of an absent field; nil if the field is mandatory.
  fileprivate let absent: Value?
  /// The field in the schema.
  let property: JSONSchema.Property

  /// A mandatory field.
  package static func required(
    _ name: String, _ form: JSONForm<Value>, _ description: String? = nil
  ) -> Self {
    Self(
      name: name, form: form, absent: nil,
      property: .required(name, form.schema, description))
  }

  /// An optional field whose absence means `absent`.
  package static func optional(
    _ name: String, _ form: JSONForm<Value>, _ description: String? = nil,
    else absent: Value
  ) -> Self {
    Self(
      name: name, form: form, absent: absent,
      property: .optional(name, form.schema, description))
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
}

/// A field while its object is read.
private final class Slot<Value: Sendable> {
  private let field: JSONField<Value>
  private var value: Value?

  init(_ field: JSONField<Value>) { self.field = field }

  /// Reads the value if the key names the field; false otherwise.
  func take(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) -> Bool {
    guard key.text.utf8.elementsEqual(field.name.utf8) else { return false }
    value = try field.form.read(&reader)
    return true
  }

  /// The value for the content.
  func content(in reader: borrowing JSONReader) throws(JSONError) -> Value {
    guard let value = value ?? field.absent else { throw reader.missing(field.name) }
    return value
  }
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
