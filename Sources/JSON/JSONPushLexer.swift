/// Divides a JSON document that arrives in pieces into its tokens, and checks their order; in
/// memory for at most one token.
///
/// `JSONReader` validates the tokens, so that both accept the same ones.
package struct JSONPushLexer {
  /// The next part of a document.
  package enum Token {
    case beginObject
    case endObject
    case beginArray
    case endArray
    case name(String)
    case string(String)
    case number(Double)
    /// `true`, `false` or `null`.
    case word
  }

  private enum Expected {
    case value
    case valueOrEnd
    case name
    case nameOrEnd
    case colon
    case commaOrEnd
    case end
  }

  /// The maximum size in bytes of one text.
  package static let textBytesMax = 64 * 1024
  /// The maximum nesting depth.
  package static let depthMax = 32

  private var pending: [UInt8] = []
  private var index = 0
  /// The bytes after `index` that the open token is known to have.
  private var scanned = 0
  private var expected = Expected.value
  /// Whether each open container is an object.
  private var containers: [Bool] = []
  private var line = 1
  private var column = 1
  /// Where the last returned token begins.
  private var tokenLine = 1
  private var tokenColumn = 1

  /// A lexer before the first byte.
  package init() {}

  /// Appends the next piece.
  package mutating func append(_ bytes: Span<UInt8>) {
    pending.removeFirst(index)
    index = 0
    pending.reserveCapacity(pending.count + bytes.count)
    for place in bytes.indices { pending.append(bytes[place]) }
  }

  /// The next token; nil if more bytes are needed, or after the end of the document.
  ///
  /// - Throws: if the document is malformed.
  package mutating func next() throws(JSONFault) -> Token? {
    while true {
      skipSpace()
      guard index < pending.count else { return nil }
      (tokenLine, tokenColumn) = (line, column)
      let byte = pending[index]
      switch (byte, expected) {
      case (UInt8(ascii: ":"), .colon):
        step(1)
        expected = .value
      case (UInt8(ascii: ","), .commaOrEnd):
        step(1)
        expected = containers.last == true ? .name : .value
      case (UInt8(ascii: "}"), .commaOrEnd) where containers.last == true,
        (UInt8(ascii: "}"), .nameOrEnd):
        return close(.endObject)
      case (UInt8(ascii: "]"), .commaOrEnd) where containers.last == false,
        (UInt8(ascii: "]"), .valueOrEnd):
        return close(.endArray)
      case (UInt8(ascii: "\""), .name), (UInt8(ascii: "\""), .nameOrEnd):
        guard let text = try string() else { return nil }
        expected = .colon
        return .name(text)
      case (_, .value), (_, .valueOrEnd): return try value(byte)
      default: throw fault(unexpected)
      }
    }
  }

  /// Ends the document, after `next` returned nil.
  ///
  /// - Throws: if it is incomplete.
  package mutating func finish() throws(JSONFault) {
    guard expected == .end, index == pending.count else {
      throw fault("The file ends before its JSON does: it is truncated.")
    }
  }

  /// A fault at the last returned token.
  package func fault(_ detail: String) -> JSONFault {
    JSONFault(line: tokenLine, column: tokenColumn, detail: detail)
  }

  private var unexpected: String {
    switch expected {
    case .value, .valueOrEnd: "The JSON is malformed: a value is expected here."
    case .name, .nameOrEnd: "The JSON is malformed: a field name is expected here."
    case .colon: "The JSON is malformed: a colon is expected here."
    case .commaOrEnd: "The JSON is malformed: a comma or an end is expected here."
    case .end: "The JSON is malformed: something follows the document."
    }
  }

  // MARK: Tokens

  private mutating func value(_ byte: UInt8) throws(JSONFault) -> Token? {
    switch byte {
    case UInt8(ascii: "{"): return try open(object: true)
    case UInt8(ascii: "["): return try open(object: false)
    case UInt8(ascii: "\""):
      guard let text = try string() else { return nil }
      expected = afterValue
      return .string(text)
    default: return try scalar()
    }
  }

  private var afterValue: Expected { containers.isEmpty ? .end : .commaOrEnd }

  private mutating func open(object: Bool) throws(JSONFault) -> Token {
    guard containers.count < Self.depthMax else {
      throw fault("Values are nested more than \(Self.depthMax) levels deep.")
    }
    containers.append(object)
    expected = object ? .nameOrEnd : .valueOrEnd
    step(1)
    return object ? .beginObject : .beginArray
  }

  private mutating func close(_ token: Token) -> Token {
    containers.removeLast()
    expected = afterValue
    step(1)
    return token
  }

  private mutating func string() throws(JSONFault) -> String? {
    var end = index + max(1, scanned)
    while end < pending.count, pending[end] != UInt8(ascii: "\"") {
      end += pending[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < pending.count else { return try incomplete(until: end) }
    var reader = JSONReader(pending, in: index..<end + 1)
    do throws(JSONError) {
      let text = try reader.string()
      step(end + 1 - index)
      return text
    } catch {
      throw fault("The JSON is malformed: \(error.sentence)")
    }
  }

  private mutating func scalar() throws(JSONFault) -> Token? {
    var end = index + scanned
    while end < pending.count, Self.isScalar(pending[end]) { end += 1 }
    guard end > index else { throw fault(unexpected) }
    guard end < pending.count else { return try incomplete(until: end) }
    var reader = JSONReader(pending, in: index..<end)
    do throws(JSONError) {
      var token = Token.word
      if try reader.kind() == .number {
        token = .number(try reader.double())
      } else {
        try reader.skip()
      }
      try reader.finish()
      step(end - index)
      expected = afterValue
      return token
    } catch {
      throw fault("The JSON is malformed: \(error.sentence)")
    }
  }

  /// Notes that the open token was scanned up to `end`, so that the next piece continues there.
  private mutating func incomplete<Value>(until end: Int) throws(JSONFault) -> Value? {
    scanned = end - index
    guard pending.count - index <= Self.textBytesMax else {
      throw fault("A text is longer than \(Self.textBytesMax) bytes.")
    }
    return nil
  }

  private static func isScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
    default: false
    }
  }

  // MARK: Places

  private mutating func skipSpace() {
    while index < pending.count {
      switch pending[index] {
      case 0x0A:
        line += 1
        column = 1
      case 0x20, 0x09, 0x0D: column += 1
      default: return
      }
      index += 1
    }
  }

  /// Advances over bytes without a line's end; a character may have several of them.
  private mutating func step(_ count: Int) {
    for place in index..<index + count where pending[place] & 0xC0 != 0x80 { column += 1 }
    index += count
    scanned = 0
  }
}
