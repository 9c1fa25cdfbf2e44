extension SchemaRun {
  mutating func string(_ node: SchemaTable.Node) throws(JSONError) {
    try reader.begin(.string, "a string")
    let token = try reader.scanString()
    // A character has at least one byte as written, so most texts need no counting.
    if token.count > node.max, characters(in: token) > node.max {
      throw reader.failure(.tooLong(charactersMax: node.max), at: reader.valueStart)
    }
    if node.min > 0 {
      if token.count == 0 { throw reader.failure(.empty, at: reader.valueStart) }
      if node.min > 1, characters(in: token) < node.min {
        throw reader.failure(.tooShort(charactersMin: node.min), at: reader.valueStart)
      }
    }
    if !node.members.isEmpty || node.format != nil { try content(of: token, node) }
  }

  private func content(of token: StringToken, _ node: SchemaTable.Node) throws(JSONError) {
    let isDecoded = token.hasEscapes
    let decoded = isDecoded ? reader.decode(token) : []
    let text =
      isDecoded ? decoded.span : reader.bytes.span.extracting(token.range)
    if !node.members.isEmpty, !isAllowed(text, node.members) {
      let allowed = schema.table.allowed[node.members].map { String(decoding: $0, as: UTF8.self) }
      throw reader.failure(.notAllowed(allowed: allowed), at: reader.valueStart)
    }
    if let format = node.format, !format.accepts(text) {
      throw reader.failure(.malformed(expected: format.expectation), at: reader.valueStart)
    }
  }

  private func isAllowed(_ text: Span<UInt8>, _ members: Range<Int>) -> Bool {
    for member in members where schema.table.allowed[member].count == text.count {
      var index = 0
      while index < text.count, schema.table.allowed[member][index] == text[index] { index &+= 1 }
      if index == text.count { return true }
    }
    return false
  }

  /// Unicode code points, as JSON Schema counts them.
  private func characters(in token: StringToken) -> Int {
    let bytes = token.hasEscapes ? reader.decode(token)[...] : reader.bytes[token.range]
    return bytes.count { $0 & 0xC0 != 0x80 }
  }

  mutating func integer(_ node: SchemaTable.Node) throws(JSONError) {
    let value = try reader.integer()
    guard value >= node.min, value <= node.max else {
      let minimum = node.min == .min ? nil : String(node.min)
      let maximum = node.max == .max ? nil : String(node.max)
      throw reader.failure(
        .outOfRange(minimum: minimum, maximum: maximum), at: reader.valueStart)
    }
  }

  mutating func number(_ node: SchemaTable.Node) throws(JSONError) {
    let value = try reader.double()
    guard value >= node.numberMin, value <= node.numberMax else {
      let minimum = node.numberMin.isFinite ? text(node.numberMin) : nil
      let maximum = node.numberMax.isFinite ? text(node.numberMax) : nil
      throw reader.failure(
        .outOfRange(minimum: minimum, maximum: maximum), at: reader.valueStart)
    }
  }

  private func text(_ bound: Double) -> String {
    var writer = JSONWriter(capacity: 24)
    writer.value(bound)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
