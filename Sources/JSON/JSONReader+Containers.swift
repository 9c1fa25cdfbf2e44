extension JSONReader {
  /// Enters an object; `nextField` then returns its fields and leaves it.
  package mutating func beginObject() throws(JSONError) {
    let start = try openObject()
    outer.append(frame)
    frame = Frame(start: start, firstName: names.count, countMax: .max)
  }

  /// Moves to the value of the next field of the object entered last; nil after the last one.
  ///
  /// An unread value is skipped, but still checked. Call it until it returns nil.
  package mutating func nextField() throws(JSONError) -> JSONKey? {
    guard !outer.isEmpty else { return nil }
    guard try advance(closedBy: UInt8(ascii: "}")) else {
      try closeObject(start: frame.start, first: frame.firstName)
      frame = outer.removeLast()
      return nil
    }
    let key = JSONKey(text: text(of: try nextName(first: frame.firstName)))
    frame.unread = position
    return key
  }

  /// Enters an array; `nextElement` then moves through its elements and leaves it.
  ///
  /// An array of more than `countMax` elements is refused before the first excess element is read.
  package mutating func beginArray(countMax: Int = .max) throws(JSONError) {
    let start = try openArray()
    outer.append(frame)
    frame = Frame(start: start, firstName: names.count, countMax: countMax)
  }

  /// Moves to the next element of the array entered last; false after the last one.
  ///
  /// An unread element is skipped, but still checked. Call it until it returns false.
  package mutating func nextElement() throws(JSONError) -> Bool {
    guard !outer.isEmpty else { return false }
    guard try advance(closedBy: UInt8(ascii: "]")) else {
      closeArray(start: frame.start)
      frame = outer.removeLast()
      return false
    }
    skipWhitespace()
    guard frame.count <= frame.countMax else {
      throw failure(.tooMany(max: frame.countMax), at: position)
    }
    frame.unread = position
    return true
  }

  /// Skips the unread value and the comma; returns false if the container ends here.
  private mutating func advance(closedBy close: UInt8) throws(JSONError) -> Bool {
    frame.count &+= 1
    if frame.count == 1 { return try !isEmpty(closedBy: close) }
    if position == frame.unread { try skip() }
    return try continues(closedBy: close)
  }

  /// Checks and skips the next value of any kind; returns the range of its bytes.
  @discardableResult
  package mutating func skip() throws(JSONError) -> Range<Int> {
    let found = try kind()
    let start = position
    switch found {
    case .object:
      _ = try openObject()
      let first = names.count
      if try !isEmpty(closedBy: UInt8(ascii: "}")) {
        repeat {
          _ = try nextName(first: first)
          try skip()
        } while try continues(closedBy: UInt8(ascii: "}"))
      }
      try closeObject(start: start, first: first)
    case .array:
      _ = try openArray()
      if try !isEmpty(closedBy: UInt8(ascii: "]")) {
        repeat { try skip() } while try continues(closedBy: UInt8(ascii: "]"))
      }
      closeArray(start: start)
    case .string: _ = try scanString()
    case .number: try checkRange(of: try scanNumber())
    case .boolean: _ = try boolean()
    case .null: _ = try null()
    }
    valueStart = start
    return start..<position
  }
}

extension JSONReader {
  /// Reads the next value if it is of this type; skips it and returns nil otherwise.
  ///
  /// - Throws: errors of the JSON text itself.
  package mutating func ifReadable<Value: JSONReadable>(
    _ type: Value.Type = Value.self
  ) throws(JSONError) -> Value? {
    var reader = JSONReader(bytes, in: try skip(), limits: limits)
    do throws(JSONError) {
      let value = try Value(from: &reader)
      try reader.finish()
      return value
    } catch {
      return nil
    }
  }
}

// The steps of reading a container.
extension JSONReader {
  /// Consumes `{`; returns its position.
  mutating func openObject() throws(JSONError) -> Int {
    try begin(.object, "an object")
    return try descend()
  }

  /// Consumes `[`; returns its position.
  mutating func openArray() throws(JSONError) -> Int {
    try begin(.array, "an array")
    return try descend()
  }

  private mutating func descend() throws(JSONError) -> Int {
    let start = position
    guard depth < limits.depthMax else {
      throw failure(.tooDeep(max: limits.depthMax), at: position)
    }
    depth &+= 1
    position &+= 1
    return start
  }

  /// Whether the container just entered is empty; consumes its end if so.
  mutating func isEmpty(closedBy close: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < end else { throw failure(.endsTooEarly, at: end) }
    guard bytes[position] == close else { return false }
    position &+= 1
    return true
  }

  /// Consumes the comma or the end after an element; returns true after a comma.
  mutating func continues(closedBy close: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < end else { throw failure(.endsTooEarly, at: end) }
    let byte = bytes[position]
    if byte == UInt8(ascii: ",") {
      position &+= 1
      return true
    }
    guard byte == close else {
      let expected = close == UInt8(ascii: "}") ? "a comma or a }" : "a comma or a ]"
      throw failure(.unexpected(expected: expected), at: position)
    }
    position &+= 1
    return false
  }

  /// Reads a field's name and colon; refuses a duplicate name.
  mutating func nextName(first: Int) throws(JSONError) -> StringToken {
    skipWhitespace()
    guard position < end else { throw failure(.endsTooEarly, at: end) }
    guard bytes[position] == UInt8(ascii: "\"") else {
      throw failure(.unexpected(expected: "a field name in double quotes"), at: position)
    }
    let quote = position
    let token = try scanString()
    let decoded = token.hasEscapes ? decode(token) : nil
    guard names.add(token.range, decoded: decoded, first: first, in: bytes) else {
      throw failure(.duplicateName, at: quote)
    }
    skipWhitespace()
    guard position < end else { throw failure(.endsTooEarly, at: end) }
    guard bytes[position] == UInt8(ascii: ":") else {
      throw failure(.unexpected(expected: "a colon"), at: position)
    }
    position &+= 1
    skipWhitespace()
    return token
  }

  mutating func closeObject(start: Int, first: Int) throws(JSONError) {
    if let repeated = names.close(first: first, in: bytes) {
      throw failure(.duplicateName, at: repeated - 1)
    }
    depth &-= 1
    valueStart = start
  }

  mutating func closeArray(start: Int) {
    depth &-= 1
    valueStart = start
  }
}
