import Operations

/// The fields of a message in their original order: one buffer of bytes and an index into it.
///
/// Names are stored in lower case and compared as ASCII. A look-up scans the index (about a dozen
/// entries); no method hashes, and only methods that return a `String` create one.
package struct HTTPFields: Sendable {
  /// The position of a field in `bytes`; a well-known name needs no text.
  struct Entry: Sendable {
    var known: FieldName?
    var nameStart: UInt32
    var nameCount: UInt32
    var valueStart: UInt32
    var valueCount: UInt32
  }

  /// Bytes reserved after a parsed head, for fields that are added when it is forwarded.
  static let room = 384
  /// Entries reserved for a request's head: those of a browser, and those that the gateway adds.
  static let entryRoom = 32

  var bytes: [UInt8]
  var entries: [Entry]

  /// Creates an empty list, with capacity reserved for a head.
  package init(reservingBytes: Int = 0, fields: Int = 0) {
    bytes = []
    entries = []
    if reservingBytes > 0 { bytes.reserveCapacity(reservingBytes) }
    if fields > 0 { entries.reserveCapacity(fields) }
  }

  /// The number of field lines; a repeated field counts each time.
  package var count: Int { entries.count }

  /// The number of bytes of all values, and of names that are not well known.
  package var byteCount: Int { bytes.count }

  // MARK: Appending

  /// Appends a field; control characters in the value (line ends, NUL) become spaces, so that no
  /// value can end its line.
  package mutating func append(_ name: FieldName, _ value: String) {
    let start = bytes.count
    bytes.append(contentsOf: value.utf8)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field from bytes; control characters become spaces.
  package mutating func append(_ name: FieldName, copying value: Span<UInt8>) {
    let start = bytes.count
    bytes.append(copying: value)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field with the bytes of a literal.
  package mutating func append(_ name: FieldName, literal value: StaticString) {
    let start = bytes.count
    bytes.append(literal: value)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field whose value `write` appends to the buffer.
  package mutating func append(_ name: FieldName, _ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    write(&bytes)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends the field `traceparent`.
  package mutating func append(_ trace: TraceParent) {
    append(.traceParent) { bytes in
      bytes.append(addingCapacity: TraceParent.bytes) { trace.append(to: &$0) }
    }
  }

  /// Appends a decimal number.
  package mutating func append(_ name: FieldName, _ value: Int) {
    let start = bytes.count
    bytes.append(decimal: value)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field with any name; characters that are invalid in a name become `-`.
  package mutating func append(_ name: String, _ value: String) {
    var name = name
    var value = value
    name.withUTF8 { name in
      // SAFETY: both buffers are read only inside their closures.
      value.withUTF8 { value in
        append(name: unsafe Span(_unsafeElements: name), value: unsafe Span(_unsafeElements: value))
      }
    }
  }

  /// Appends a field from bytes, replacing invalid characters in name and value; well-known names
  /// are recognised. Engines call this for each decoded field.
  package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
    let known = FieldName.known(name)
    let nameStart = bytes.count
    if known == nil {
      for index in name.indices {
        bytes.append(ASCII.isToken(name[index]) ? ASCII.lowercased(name[index]) : 0x2D)
      }
    }
    let valueStart = bytes.count
    bytes.append(copying: value)
    finish(
      known: known, nameStart: nameStart, nameCount: valueStart - nameStart,
      valueStart: valueStart)
  }

  /// The most bytes that these fields take with their names, `separators` bytes more for each.
  func writtenBytesMax(separators: Int) -> Int {
    bytes.count + entries.count * (FieldName.bytesMax + separators)
  }

  /// Appends a field whose value was checked.
  mutating func append(checked name: FieldName, _ value: Span<UInt8>) {
    let start = bytes.count
    bytes.append(copying: value)
    entries.append(
      Entry(
        known: name, nameStart: UInt32(start), nameCount: 0, valueStart: UInt32(start),
        valueCount: UInt32(value.count)))
  }

  /// Appends a field that is not well known, whose name (in lower case) and value were checked.
  mutating func append(checked name: Span<UInt8>, _ value: Span<UInt8>) {
    let start = bytes.count
    bytes.append(copying: name)
    bytes.append(copying: value)
    entries.append(
      Entry(
        known: nil, nameStart: UInt32(start), nameCount: UInt32(name.count),
        valueStart: UInt32(start + name.count), valueCount: UInt32(value.count)))
  }

  /// Appends all fields of another message, which are already valid.
  package mutating func append(contentsOf other: HTTPFields) {
    let start = UInt32(bytes.count)
    bytes.append(copying: other.bytes.span)
    for entry in other.entries {
      var entry = entry
      entry.nameStart += start
      entry.valueStart += start
      entries.append(entry)
    }
  }

  /// Appends the first fields of another list that was only appended to.
  mutating func append(first count: Int, of other: HTTPFields) {
    guard count > 0 else { return }
    let last = other.entries[count - 1]
    bytes.append(copying: other.bytes.span.extracting(..<HTTPFields.valueRange(last).upperBound))
    for index in 0..<count { entries.append(other.entries[index]) }
  }

  private mutating func finish(
    known: FieldName?, nameStart: Int, nameCount: Int, valueStart: Int
  ) {
    if !bytes.span.extracting(valueStart..<bytes.count).isFieldValue {
      for index in valueStart..<bytes.count where !ASCII.isFieldValue(bytes[index]) {
        bytes[index] = ASCII.space
      }
    }
    entries.append(
      Entry(
        known: known, nameStart: UInt32(nameStart), nameCount: UInt32(nameCount),
        valueStart: UInt32(valueStart), valueCount: UInt32(bytes.count - valueStart)))
  }

  /// Replaces every field of this name by one with this value, or appends it.
  package mutating func set(_ name: FieldName, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Renames every field of one name; the values stay in place.
  package mutating func rename(_ name: FieldName, to other: FieldName) {
    for index in entries.indices where entries[index].known == name {
      entries[index].known = other
    }
  }

  // MARK: Looking up

  /// The first value of this name as text, or nil.
  package subscript(_ name: FieldName) -> String? {
    for entry in entries where entry.known == name { return text(of: entry) }
    return nil
  }

  /// The first value of a lower-case name as text, or nil.
  package subscript(_ name: StaticString) -> String? {
    var found: String?
    forEach(named: name) { value in
      if found == nil { found = String(copying: value) }
    }
    return found
  }

  /// Whether a field of this name exists.
  package func contains(_ name: FieldName) -> Bool {
    for entry in entries where entry.known == name { return true }
    return false
  }

  /// Whether the field at an index of the list has this name and value; false if there is none.
  /// `name` is compared only if it is not well known.
  func hasField(
    at index: Int, _ known: FieldName?, _ name: Span<UInt8>, _ value: Span<UInt8>
  ) -> Bool {
    guard index < entries.count else { return false }
    let entry = entries[index]
    return entry.known == known
      && value.equals(bytes.span.extracting(HTTPFields.valueRange(entry)))
      && (known != nil || name.equals(bytes.span.extracting(HTTPFields.nameRange(entry))))
  }

  /// The number of fields of this name.
  package func count(of name: FieldName) -> Int {
    var count = 0
    for entry in entries where entry.known == name { count += 1 }
    return count
  }

  /// Calls `body` with the bytes of the first value of this name; nil if none exists.
  package func withValue<Result>(
    _ name: FieldName, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    for entry in entries where entry.known == name {
      return body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
    return nil
  }

  /// Calls `body` with the bytes of the first value of a lower-case name; nil if none exists.
  package func withValue<Result>(
    _ name: StaticString, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    for entry in entries where matches(entry, name) {
      return body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
    return nil
  }

  /// Calls `body` with each value of this name, in order.
  package func forEach(named name: FieldName, _ body: (Span<UInt8>) -> Void) {
    for entry in entries where entry.known == name {
      body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
  }

  /// Calls `body` with each value of a lower-case name, in order.
  package func forEach(named name: StaticString, _ body: (Span<UInt8>) -> Void) {
    for entry in entries where matches(entry, name) {
      body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
  }

  /// Calls `body` with every field: its well-known name, if any, and the bytes of its name (in
  /// lower case) and value.
  package func forEach(
    _ body: (_ known: FieldName?, _ name: Span<UInt8>, _ value: Span<UInt8>) -> Void
  ) {
    for entry in entries {
      let value = bytes.span.extracting(HTTPFields.valueRange(entry))
      if let known = entry.known {
        let text = known.text
        // SAFETY: a static string's bytes live forever.
        let name = unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount)
        body(known, name, value)
      } else {
        body(nil, bytes.span.extracting(HTTPFields.nameRange(entry)), value)
      }
    }
  }

  // MARK: Removing

  /// Removes every field of this name.
  package mutating func remove(_ name: FieldName) {
    entries.removeAll { $0.known == name }
  }

  /// Removes every `traceparent` and blanks its bytes, so that heads that differ in it alone become
  /// identical. Returns the only one; nil for none, for more than one, and for a malformed one.
  package mutating func takeTrace() -> TraceParent? {
    guard contains(.traceParent) else { return nil }
    let isOnly = count(of: .traceParent) == 1
    var trace: TraceParent?
    for entry in entries where entry.known == .traceParent {
      let range = Self.valueRange(entry)
      if isOnly { trace = TraceParent(bytes.span.extracting(range)) }
      for index in range { bytes[index] = ASCII.space }
    }
    remove(.traceParent)
    return trace
  }

  /// Removes every field for which `condition` holds; `name` is empty when `known` is set.
  package mutating func removeAll(
    where condition: (_ known: FieldName?, _ name: Span<UInt8>) -> Bool
  ) {
    var kept = 0
    for index in entries.indices {
      let entry = entries[index]
      let isRemoved = condition(
        entry.known, bytes.span.extracting(HTTPFields.nameRange(entry)))
      guard !isRemoved else { continue }
      if kept < index { entries[kept] = entry }
      kept += 1
    }
    entries.removeLast(entries.count - kept)
  }

  // MARK: Inside

  private func matches(_ entry: Entry, _ name: StaticString) -> Bool {
    if let known = entry.known { return name.isEqual(to: known.text) }
    return bytes.span.extracting(HTTPFields.nameRange(entry)).equals(name)
  }

  private func text(of entry: Entry) -> String {
    String(copying: bytes.span.extracting(HTTPFields.valueRange(entry)))
  }

  static func nameRange(_ entry: Entry) -> Range<Int> {
    Int(entry.nameStart)..<Int(entry.nameStart) + Int(entry.nameCount)
  }

  static func valueRange(_ entry: Entry) -> Range<Int> {
    Int(entry.valueStart)..<Int(entry.valueStart) + Int(entry.valueCount)
  }
}

extension HTTPFields: Equatable {
  /// Whether both have the same fields in the same order.
  package static func == (left: HTTPFields, right: HTTPFields) -> Bool {
    guard left.count == right.count else { return false }
    for (mine, theirs) in zip(left.entries, right.entries) {
      guard mine.known == theirs.known,
        left.bytes.span.extracting(nameRange(mine)).equals(
          right.bytes.span.extracting(nameRange(theirs))),
        left.bytes.span.extracting(valueRange(mine)).equals(
          right.bytes.span.extracting(valueRange(theirs)))
      else { return false }
    }
    return true
  }
}
