extension JSONDocument {
  /// The fields of the object in the schema, for objects with further fields.
  package var properties: [JSONSchema.Property] {
    if case .object(let properties) = schema.shape { properties } else { [] }
  }
}
