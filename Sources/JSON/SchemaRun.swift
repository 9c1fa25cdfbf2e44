/// One check of one text against a schema.
struct SchemaRun: ~Copyable {
  let schema: JSONValidator
  var reader: JSONReader
  /// The field of the outermost object whose string is captured; empty for none.
  let capturedName: [UInt8]
  var captured: String?

  init(_ schema: JSONValidator, reader: consuming JSONReader, capturedName: [UInt8]) {
    self.schema = schema
    self.reader = reader
    self.capturedName = capturedName
  }

  mutating func check(_ index: Int) throws(JSONError) {
    try check(schema.table.nodes[index])
  }

  private mutating func check(_ node: SchemaTable.Node) throws(JSONError) {
    switch node.shape {
    case .any: try any(node)
    case .string: try string(node)
    case .integer: try integer(node)
    case .number: try number(node)
    case .boolean: _ = try reader.boolean()
    case .null:
      guard try reader.null() else {
        throw reader.failure(.mistyped(expected: "null"), at: reader.position)
      }
    case .array: try array(node)
    case .object: try object(node)
    case .dictionary: try dictionary(node)
    case .anyOf: try anyOf(node)
    }
  }

  /// Checks any value; reads the fields of the outermost object if one must be captured.
  private mutating func any(_ node: SchemaTable.Node) throws(JSONError) {
    guard reader.depth == 0, !capturedName.isEmpty, try reader.kind() == .object else {
      try reader.skip()
      return
    }
    try dictionary(node)
  }

  private mutating func array(_ node: SchemaTable.Node) throws(JSONError) {
    let start = try reader.openArray()
    var count = 0
    let element = schema.table.nodes[node.child]
    if try !reader.isEmpty(closedBy: UInt8(ascii: "]")) {
      repeat {
        reader.skipWhitespace()
        guard count < node.max else {
          throw reader.failure(.tooMany(max: node.max), at: reader.position)
        }
        count &+= 1
        try check(element)
      } while try reader.continues(closedBy: UInt8(ascii: "]"))
    }
    guard count >= node.min else { throw reader.failure(.tooFew(min: node.min), at: start) }
    reader.closeArray(start: start)
  }

  private mutating func object(_ node: SchemaTable.Node) throws(JSONError) {
    let start = try reader.openObject()
    let first = reader.names.count
    var missing = node.required
    var expected = node.members.lowerBound
    if try !reader.isEmpty(closedBy: UInt8(ascii: "}")) {
      repeat {
        let name = try reader.nextName(first: first)
        let found = find(name, in: node.members, from: expected)
        let before = reader.position
        if let found {
          let property = schema.table.properties[found]
          expected = found &+ 1
          missing &= ~property.bit
          try check(property.node)
        } else {
          try reader.skip()
        }
        if reader.depth == 1, !capturedName.isEmpty { capture(name, valueAt: before) }
      } while try reader.continues(closedBy: UInt8(ascii: "}"))
    }
    try reader.closeObject(start: start, first: first)
    if missing != 0 { throw absence(missing, in: node, at: start) }
  }

  private mutating func dictionary(_ node: SchemaTable.Node) throws(JSONError) {
    let start = try reader.openObject()
    let first = reader.names.count
    if try !reader.isEmpty(closedBy: UInt8(ascii: "}")) {
      repeat {
        let name = try reader.nextName(first: first)
        let before = reader.position
        try check(node.child)
        if reader.depth == 1, !capturedName.isEmpty { capture(name, valueAt: before) }
      } while try reader.continues(closedBy: UInt8(ascii: "}"))
    }
    try reader.closeObject(start: start, first: first)
  }

  private mutating func anyOf(_ node: SchemaTable.Node) throws(JSONError) {
    let kind = try reader.kind()
    var fitting = 0
    var last = 0
    for index in node.members
    where schema.table.nodes[schema.table.alternatives[index]].kinds.has(kind) {
      fitting &+= 1
      last = schema.table.alternatives[index]
    }
    guard fitting > 0 else {
      throw reader.failure(.mistyped(expected: described(node.kinds)), at: reader.position)
    }
    if fitting == 1 { return try check(last) }
    let (position, depth, names) = (reader.position, reader.depth, reader.names.count)
    for index in node.members {
      let alternative = schema.table.alternatives[index]
      guard schema.table.nodes[alternative].kinds.has(kind) else { continue }
      do {
        return try check(alternative)
      } catch {
        if error.isUnreadable || alternative == last { throw error }
        reader.position = position
        reader.depth = depth
        reader.names.forget(from: names)
      }
    }
  }
}

// Names.
extension SchemaRun {
  /// Finds the property with a name, starting at the next one in the schema's order.
  private func find(_ name: StringToken, in members: Range<Int>, from expected: Int) -> Int? {
    if name.hasEscapes {
      let decoded = reader.decode(name)
      return members.first { isEqual(schema.table.properties[$0].name, decoded, 0..<decoded.count) }
    }
    for index in expected..<members.upperBound
    where isEqual(schema.table.properties[index].name, reader.bytes, name.range) { return index }
    for index in members.lowerBound..<expected
    where isEqual(schema.table.properties[index].name, reader.bytes, name.range) { return index }
    return nil
  }

  private func isEqual(_ name: Range<Int>, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    guard name.count == range.count else { return false }
    var index = 0
    while index < name.count {
      let left = schema.table.names[name.lowerBound &+ index]
      guard left == bytes[range.lowerBound &+ index] else { return false }
      index &+= 1
    }
    return true
  }

  private mutating func capture(_ name: StringToken, valueAt position: Int) {
    guard reader.bytes[position] == UInt8(ascii: "\"") else { return }
    let isWanted =
      name.hasEscapes
      ? reader.decode(name) == capturedName
      : name.count == capturedName.count
        && reader.bytes[name.range].elementsEqual(capturedName)
    guard isWanted else { return }
    // The value is already checked; the range excludes its quotes.
    let range = position + 1..<reader.position - 1
    let hasEscapes = reader.bytes[range].contains(UInt8(ascii: "\\"))
    captured = reader.text(
      of: StringToken(start: range.lowerBound, end: range.upperBound, hasEscapes: hasEscapes))
  }

  private func absence(
    _ missing: UInt64, in node: SchemaTable.Node, at start: Int
  ) -> JSONError {
    var error = reader.failure(.missing, at: start)
    let lowest = missing & ~(missing &- 1)
    for property in schema.table.properties[node.members] where property.bit == lowest {
      let name = String(decoding: schema.table.names[property.name], as: UTF8.self)
      error.path = FieldPath.join(error.path, name)
    }
    return error
  }

  private func described(_ kinds: UInt8) -> String {
    let words: [(JSONKind, String)] = [
      (.string, "a string"), (.number, "a number"), (.boolean, "true or false"),
      (.object, "an object"), (.array, "an array"), (.null, "null"),
    ]
    return words.filter { kinds.has($0.0) }.map(\.1).joined(separator: " or ")
  }
}

extension UInt8 {
  /// Whether the set of kinds of a schema contains a kind.
  fileprivate func has(_ kind: JSONKind) -> Bool { self & (1 << kind.rawValue) != 0 }
}
