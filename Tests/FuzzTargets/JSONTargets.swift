import JSON

// Properties of the JSON code for every input. Callers are libFuzzer through its harness, and
// JSONTests with the corpus. A failed property stops the process, as libFuzzer requires.

/// A JSON value as a tree, for comparisons.
package indirect enum JSONTree: JSONReadable, JSONWritable, Equatable {
  case object([Field])
  case array([JSONTree])
  case string([UInt8])
  case number(Double)
  case boolean(Bool)
  case null

  /// A field of an object.
  package struct Field: Equatable {
    /// The name as bytes.
    package var name: [UInt8]
    /// Its value.
    package var value: JSONTree

    /// Creates a field from its parts.
    package init(name: [UInt8], value: JSONTree) {
      self.name = name
      self.value = value
    }
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    switch try reader.kind() {
    case .object:
      var fields: [Field] = []
      try reader.beginObject()
      while let key = try reader.nextField() {
        fields.append(Field(name: Array(key.text.utf8), value: try reader.value()))
      }
      self = .object(fields)
    case .array: self = .array(try reader.list())
    case .string: self = .string(Array(try reader.string().utf8))
    case .number: self = .number(try reader.double())
    case .boolean: self = .boolean(try reader.boolean())
    case .null: self = try reader.null() ? .null : .boolean(false)
    }
  }

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .object(let fields):
      writer.object {
        for field in fields { $0.field(String(decoding: field.name, as: UTF8.self), field.value) }
      }
    case .array(let elements): writer.value(elements)
    case .string(let bytes): writer.value(String(decoding: bytes, as: UTF8.self))
    case .number(let value): writer.value(value)
    case .boolean(let value): writer.value(value)
    case .null: writer.null()
    }
  }

  /// The tree as JSON.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }
}

/// The result or the error of reading, so that two ways of reading can be compared.
package func outcome<Value>(_ body: () throws(JSONError) -> Value) -> Result<Value, JSONError> {
  do { return .success(try body()) } catch { return .failure(error) }
}

/// Reading never crashes, agrees with skipping, and returns the same value after it is written
/// again.
package func fuzzJSON(_ bytes: [UInt8]) {
  let skipped = outcome { () throws(JSONError) -> Bool in
    var reader = JSONReader(bytes)
    try reader.skip()
    try reader.finish()
    return true
  }
  switch outcome({ () throws(JSONError) in try JSONReader.read(JSONTree.self, from: bytes) }) {
  case .failure(let error):
    precondition(error.isUnreadable && (0...bytes.count).contains(error.offset))
    precondition(error.sentence.hasSuffix("."))
    precondition(skipped == .failure(error), "skipping and reading disagree")
  case .success(let tree):
    precondition(skipped == .success(true), "skipping refused what reading accepted")
    let written = tree.bytes
    let limits = JSONLimits(bytesMax: .max, stringBytesMax: .max)
    let again = outcome { () throws(JSONError) in
      try JSONReader.read(JSONTree.self, from: written, limits: limits)
    }
    precondition(again == .success(tree), "written and read again it differs")
  }
}

private let fuzzedSchemas: [JSONSchema] = [
  .any,
  .object([
    .required("email", .email), .required("password", .string(lengthMin: 8, lengthMax: 128)),
    .optional("replace", .boolean), .optional("authToken", .string()),
    .optional("birthdate", .date), .optional("sex", .oneOf(["M", "F"])),
    .optional("height", .number(0.2...2.8)), .optional("limit", .integer(1...500)),
    .optional("phone", JSONSchema.string().nullable),
    .optional(
      "diseases", .array(of: .object([.required("code", .string())]), countMin: 1, countMax: 3)),
  ]),
  .object([
    .required("dataTypes", .array(of: .string(), countMax: 10_000)),
    .required("values", .array(of: .anyOf([.string(), .number()]), countMax: 10_000)),
    .required("timestamp", .array(of: .dateTime, countMax: 10_000)),
  ]),
  .dictionary(of: .anyOf([.array(of: .integer()), .array(of: .string(format: .byte)), .uuid])),
]
private let fuzzedValidators = fuzzedSchemas.map { JSONValidator($0) }

/// A check refuses as malformed exactly what the reader refuses, and finds the captured field.
package func fuzzSchema(_ bytes: [UInt8]) {
  let tree = outcome { () throws(JSONError) in try JSONReader.read(JSONTree.self, from: bytes) }
  for validator in fuzzedValidators {
    let checked = outcome { () throws(JSONError) in
      try validator.check(bytes, capturing: "authToken")
    }
    let validated = outcome { () throws(JSONError) -> Bool in
      try validator.validate(bytes)
      return true
    }
    switch (tree, checked) {
    case (.failure(let left), .failure(let right)): precondition(left == right)
    case (.success(let tree), .success(let check)):
      precondition(check.captured.map { Array($0.utf8) } == authToken(in: tree))
      precondition(check.violation?.isUnreadable != true)
      precondition(validated == (check.violation.map { .failure($0) } ?? .success(true)))
    case (.success, .failure), (.failure, .success):
      preconditionFailure("the check and the reader disagree on what can be read")
    }
  }
}

private func authToken(in tree: JSONTree) -> [UInt8]? {
  guard case .object(let fields) = tree else { return nil }
  for field in fields where field.name == Array("authToken".utf8) {
    if case .string(let bytes) = field.value { return bytes }
  }
  return nil
}
