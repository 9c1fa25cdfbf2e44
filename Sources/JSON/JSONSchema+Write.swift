extension JSONSchema: JSONWritable {
  /// Writes the schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writeShape(to: &writer)
      writer.fieldIfPresent("description", description)
      if let example { writer.array("examples") { $0.raw(example.utf8) } }
    }
  }

  private func writeShape(to writer: inout JSONWriter) {
    switch shape {
    case .any: break
    case .string(let rule): rule.write(to: &writer)
    case .integer(let minimum, let maximum):
      writer.field("type", "integer")
      writer.fieldIfPresent("minimum", minimum)
      writer.fieldIfPresent("maximum", maximum)
    case .number(let minimum, let maximum):
      writer.field("type", "number")
      writer.fieldIfPresent("minimum", minimum)
      writer.fieldIfPresent("maximum", maximum)
    case .boolean: writer.field("type", "boolean")
    case .null: writer.field("type", "null")
    case .array(let element, let countMin, let countMax):
      writer.field("type", "array")
      writer.field("items", element)
      if countMin > 0 { writer.field("minItems", countMin) }
      writer.fieldIfPresent("maxItems", countMax)
    case .object(let properties): Self.write(properties, to: &writer)
    case .dictionary(let value):
      writer.field("type", "object")
      writer.field("additionalProperties", value)
    case .anyOf(let alternatives): writer.field("anyOf", alternatives)
    }
  }

  private static func write(_ properties: [Property], to writer: inout JSONWriter) {
    writer.field("type", "object")
    writer.object("properties") {
      for property in properties { $0.field(property.name, property.schema) }
    }
    let required = properties.filter(\.isRequired).map(\.name)
    if !required.isEmpty { writer.field("required", required) }
  }
}

extension JSONSchema.StringRule {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.field("type", "string")
    if let lengthMin, lengthMin > 0 { writer.field("minLength", lengthMin) }
    writer.fieldIfPresent("maxLength", lengthMax)
    writer.fieldIfPresent("format", format?.rawValue)
    if !allowed.isEmpty { writer.field("enum", allowed) }
  }
}
