extension JSONReader {
  /// Enters an object; `nextField` then gives its fields and leaves it.
  package mutating func beginObject() throws(JSONError) {
    let start = try openObject()
    outer.append(frame)
    frame = Frame(start: start, firstName: names.count, countMax: .max)
  }

  /// Moves to the value of the next field of the object entered last; nil after the last one.
  ///
  /// A value that was not read is skipped, and checked all the same. Call it until it gives nil.
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

  /// Enters an array; `nextElement` then moves through it and leaves it.
  ///
  /// More than `countMax` elements are refused before the first one too many is read.
  package mutating func beginArray(countMax: Int = .max) throws(JSONError) {
    let start = try openArray()
    outer.append(frame)
    frame = Frame(start: start, firstName: names.count, countMax: countMax)
  }

  /// Moves to the next element of the array entered last; false after the last one.
  ///
  /// An element that was not read is skipped, and checked all the same. Call it until it gives
  /// false.
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

  /// Steps over what is left unread and the comma; false if the container ends here.
  private mutating func advance(closedBy close: UInt8) throws(JSONError) -> Bool {
    frame.count &+= 1
    if frame.count == 1 { return try !isEmpty(closedBy: close) }
    if position == frame.unread { try skip() }
    return try continues(closedBy: close)
  }

  /// Checks the next value of any kind and leaves it unread; returns the bytes it occupies.
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
  /// Reads the next value where it is one of this type; nil where it is any other.
  ///
  /// - Throws: what is wrong with the text itself.
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

// The steps that every reading of a container is made of.
extension JSONReader {
  /// Consumes `{`; returns where it stood.
  mutating func openObject() throws(JSONError) -> Int {
    try begin(.object, "an object")
    return try descend()
  }

  /// Consumes `[`; returns where it stood.
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

  /// Whether the container just begun ends at once; consumes its end then.
  mutating func isEmpty(closedBy close: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < end else { throw failure(.endsTooEarly, at: end) }
    guard bytes[position] == close else { return false }
    position &+= 1
    return true
  }

  /// Consumes the comma or the end after an element; true after a comma.
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

  /// Reads a field's name and colon and refuses a name met before in this object.
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
