/// Writes one JSON text into a buffer, without white space.
///
/// The writer inserts commas; the caller passes values, and names inside objects. Duplicate names
/// are not detected.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object {
///   $0.field("message", "Action successful")
///   $0.array("items") { for item in items { $0.value(item.number) } }
/// }
/// send(writer.bytes)
/// ```
package struct JSONWriter: Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8]
  private var needsComma = false

  /// Creates a writer for a text of about `capacity` bytes.
  package init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Creates a writer that appends to the contents of a buffer.
  package init(appendingTo buffer: consuming [UInt8]) {
    bytes = buffer
  }

  /// Writes a value: as an element of the open array, or as the whole text.
  package mutating func value<Value: JSONWritable>(_ value: Value) {
    value.write(to: &self)
  }

  /// Writes `null`.
  package mutating func null() {
    token("null")
  }

  /// Writes an object whose fields `body` writes.
  package mutating func object<Failure>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    open(UInt8(ascii: "{"))
    try body(&self)
    close(UInt8(ascii: "}"))
  }

  /// Writes an array whose elements `body` writes.
  package mutating func array<Failure>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    open(UInt8(ascii: "["))
    try body(&self)
    close(UInt8(ascii: "]"))
  }

  /// Writes a fragment of JSON without checking it.
  package mutating func raw(_ fragment: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: fragment)
    needsComma = true
  }
}

// Fields of the open object.
extension JSONWriter {
  /// Writes a field; an optional that is nil is written as `null`.
  package mutating func field<Value: JSONWritable>(_ name: String, _ value: Value) {
    self.name(name)
    value.write(to: &self)
  }

  /// Writes a field if the value is present.
  package mutating func fieldIfPresent<Value: JSONWritable>(_ name: String, _ value: Value?) {
    if let value { field(name, value) }
  }

  /// Writes a field that is `null`.
  package mutating func null(_ name: String) {
    self.name(name)
    null()
  }

  /// Writes a field whose value is an object.
  package mutating func object<Failure>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    self.name(name)
    try object(body)
  }

  /// Writes a field whose value is an array.
  package mutating func array<Failure>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    self.name(name)
    try array(body)
  }

  /// Writes a field whose value is a fragment of JSON, without checking it.
  package mutating func raw(_ name: String, _ fragment: some Sequence<UInt8>) {
    self.name(name)
    raw(fragment)
  }

  /// Writes a field's name; its value must follow.
  package mutating func name(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }
}

// Writing of single values.
extension JSONWriter {
  mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    ByteScan.appendEscaped(text, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a word or number that needs no escaping.
  mutating func token(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(value.magnitude)
    needsComma = true
  }

  mutating func integer(_ value: UInt64) {
    separate()
    digits(value)
    needsComma = true
  }

  /// Writes whole numbers up to 2^53 without a fraction, others as the shortest text that parses to
  /// the same number.
  mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    let isNegativeZero = value == 0 && value.sign == .minus
    if !isNegativeZero, abs(value) <= 0x1p53, Double(Int64(value)) == value {
      return integer(Int64(value))
    }
    token(value.description)
  }

  private mutating func digits(_ value: UInt64) {
    let start = bytes.count
    var rest = value
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }
}
