// Forms that are composed of other forms.

extension JSONForm {
  /// This or `null`, which is nil.
  package var nullable: JSONForm<Value?> {
    JSONForm<Value?>(schema.nullable) { (reader) throws(JSONError) in
      try reader.null() ? nil : read(&reader)
    }
  }

  /// This, or `null` or an empty string, which are nil: for clients that send every field of a
  /// body.
  package var emptyable: JSONForm<Value?> {
    JSONForm<Value?>(schema.emptyable) { (reader) throws(JSONError) in
      try reader.nullOrEmptyString() ? nil : read(&reader)
    }
  }

  /// An array of these.
  package func list(countMin: Int = 0, countMax: Int) -> JSONForm<[Value]> {
    JSONForm<[Value]>(
      .array(of: schema, countMin: countMin, countMax: countMax)
    ) { (reader) throws(JSONError) in
      var values: [Value] = []
      try reader.beginArray(countMax: countMax)
      while try reader.nextElement() { values.append(try read(&reader)) }
      return values
    }
  }
}

extension JSONForm where Value: JSONDocumented {
  /// An object that the type describes.
  package static var document: Self {
    Self(Value.document.schema) { (reader) throws(JSONError) in try Value(from: &reader) }
  }
}
