/// Reads one JSON text value by value, strictly.
///
/// The caller names the value it expects next, and receives it or a `JSONError` with the field path
/// and a sentence. Beyond RFC 8259, the reader refuses duplicate names, lone surrogates, NUL,
/// numbers beyond 64-bit floating point, and texts that exceed `JSONLimits`, also in skipped
/// values.
///
/// ```swift
/// struct LoginPayload: JSONReadable {
///   var email: String
///   var replace = false
///
///   init(from reader: inout JSONReader) throws(JSONError) {
///     var email: String?
///     try reader.beginObject()
///     while let key = try reader.nextField() {
///       switch key {
///       case "email": email = try reader.string()
///       case "replace": replace = try reader.boolean()
///       default: break  // unread fields are skipped
///       }
///     }
///     self.email = try reader.mandatory("email", email)
///   }
/// }
/// let login = try JSONReader.read(LoginPayload.self, from: body)
/// ```
package struct JSONReader: ~Copyable {
  /// The buffer; the text is `start..<end`.
  let bytes: [UInt8]
  let start: Int
  let end: Int
  let limits: JSONLimits
  /// The index of the next byte to read.
  var position: Int
  var depth = 0
  var names = FieldNames()
  /// The current object or array, and the enclosing ones.
  var frame = Frame(start: 0, firstName: 0, countMax: 0)
  var outer: [Frame] = []
  /// The start of the value read last, to which `refusal` refers.
  var valueStart: Int

  /// An object or array entered by the caller.
  struct Frame {
    var start: Int
    var firstName: Int
    var countMax: Int
    /// Number of fields or elements begun so far.
    var count = 0
    /// The start of the current value, to detect whether the caller has read it.
    var unread = -1
  }

  /// Creates a reader of a text.
  ///
  /// Checks nothing yet; call `finish` after the value, or use `read`, which calls it.
  package init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) {
    self.init(bytes, in: bytes.indices, limits: limits)
  }

  /// Creates a reader of the text at `range` in a larger buffer.
  package init(_ bytes: [UInt8], in range: Range<Int>, limits: JSONLimits = JSONLimits()) {
    let range = range.clamped(to: bytes.indices)
    self.bytes = bytes
    self.start = range.lowerBound
    self.end = range.upperBound
    self.limits = limits
    self.position = range.lowerBound
    self.valueStart = range.lowerBound
  }

  /// Reads a complete text: one value without anything after it.
  package static func read<Value: JSONReadable>(
    _ type: Value.Type = Value.self, from bytes: [UInt8], limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> Value {
    var reader = JSONReader(bytes, limits: limits)
    let value = try Value(from: &reader)
    try reader.finish()
    return value
  }

  /// Checks that nothing follows the value.
  package mutating func finish() throws(JSONError) {
    skipWhitespace()
    guard position == end else { throw failure(.textAfterDocument, at: position) }
  }

  /// The kind of the next value, without consuming it.
  package mutating func kind() throws(JSONError) -> JSONKind {
    guard end - start <= limits.bytesMax else {
      throw failure(.documentTooLong(bytesMax: limits.bytesMax), at: start + limits.bytesMax)
    }
    skipWhitespace()
    guard position < end else { throw failure(.endsTooEarly, at: end) }
    guard let kind = JSONKind(firstByte: bytes[position]) else { throw noValue() }
    return kind
  }

  /// Begins to read a value that must be of one kind.
  @inline(__always)
  mutating func begin(_ expected: JSONKind, _ description: String) throws(JSONError) {
    let found = try kind()
    valueStart = position
    guard found == expected else { throw failure(.mistyped(expected: description), at: position) }
  }

  @inline(__always)
  mutating func skipWhitespace() {
    while position < end {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position &+= 1
    }
  }

  private func noValue() -> JSONError {
    switch bytes[position] {
    case 0xEF where position == start: failure(.byteOrderMark, at: position)
    case 0: failure(.nulCharacter, at: position)
    case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "I"), UInt8(ascii: "N"):
      failure(.malformedNumber, at: position)
    default: failure(.unexpected(expected: "a value"), at: position)
    }
  }
}

// Refusals.
extension JSONReader {
  /// An error at a byte, with the path of the field that contains it.
  @inline(never)
  func failure(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    JSONError(
      reason, offset: offset - start,
      path: FieldPath.locate(offset, in: bytes, range: start..<end))
  }

  /// An error for the value read last, with a full sentence for people.
  ///
  /// The sentence must not repeat the value.
  package func refusal(_ sentence: String) -> JSONError {
    failure(.refused(sentence: sentence), at: valueStart)
  }

  /// The error for a mandatory field missing in the object read last.
  package func missing(_ name: String) -> JSONError {
    var error = failure(.missing, at: valueStart)
    error.path = FieldPath.join(error.path, name)
    return error
  }

  /// An error about the object read last, whose path begins in that object.
  func placed(_ error: JSONError) -> JSONError {
    var placed = failure(error.reason, at: valueStart)
    if !error.path.isEmpty { placed.path = FieldPath.join(placed.path, error.path) }
    return placed
  }
}
