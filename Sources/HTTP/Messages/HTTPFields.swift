/// The fields of a message in the order they came: one buffer of bytes and an index into it.
///
/// Names are kept in small letters and compared as ASCII. Looking up is a walk over the index
/// (a dozen entries); nothing here hashes or makes a `String` unless asked for one.
package struct HTTPFields: Sendable {
  /// Where a field stands in `bytes`; a well-known name needs no text.
  struct Entry: Sendable {
    var known: FieldName?
    var nameStart: UInt32
    var nameCount: UInt32
    var valueStart: UInt32
    var valueCount: UInt32
  }

  /// Bytes that are reserved behind a head that was read, for the fields that whoever passes it on
  /// adds.
  static let room = 384

  var bytes: [UInt8]
  var entries: [Entry]

  /// No fields; room is reserved for a usual head.
  package init(reservingBytes: Int = 0, fields: Int = 0) {
    bytes = []
    entries = []
    if reservingBytes > 0 { bytes.reserveCapacity(reservingBytes) }
    if fields > 0 { entries.reserveCapacity(fields) }
  }

  /// The number of field lines; a repeated field counts each time.
  package var count: Int { entries.count }

  // MARK: Appending

  /// Appends a field; controls in the value (line ends, NUL) become spaces, so that no value can
  /// end the line it stands on.
  package mutating func append(_ name: FieldName, _ value: String) {
    let start = bytes.count
    bytes.append(contentsOf: value.utf8)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field from bytes, as above.
  package mutating func append(_ name: FieldName, copying value: Span<UInt8>) {
    let start = bytes.count
    bytes.append(copying: value)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field whose value `write` appends to the bytes that it is given.
  package mutating func append(_ name: FieldName, _ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    write(&bytes)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a decimal number.
  package mutating func append(_ name: FieldName, _ value: Int) {
    let start = bytes.count
    bytes.append(decimal: value)
    finish(known: name, nameStart: start, nameCount: 0, valueStart: start)
  }

  /// Appends a field of any name; characters that a name can't have become `-`.
  package mutating func append(_ name: String, _ value: String) {
    var name = name
    var value = value
    name.withUTF8 { name in
      // SAFETY: both buffers are read inside their closures only.
      value.withUTF8 { value in
        append(name: unsafe Span(_unsafeElements: name), value: unsafe Span(_unsafeElements: value))
      }
    }
  }

  /// Appends a field of any name from bytes, cleaning both as above; a well-known name is
  /// recognised. This is what an engine calls for each field it decoded.
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

  /// Appends all fields of another message, which are clean already.
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

  /// Puts this value in place of every field of that name, or appends it.
  package mutating func set(_ name: FieldName, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Gives every field of one name another one; the values stay where they are.
  package mutating func rename(_ name: FieldName, to other: FieldName) {
    for index in entries.indices where entries[index].known == name {
      entries[index].known = other
    }
  }

  // MARK: Looking up

  /// The first value of that name as text, or nil.
  package subscript(_ name: FieldName) -> String? {
    for entry in entries where entry.known == name { return text(of: entry) }
    return nil
  }

  /// The first value of a name given in small letters, or nil.
  package subscript(_ name: StaticString) -> String? {
    var found: String?
    forEach(named: name) { value in
      if found == nil { found = String(copying: value) }
    }
    return found
  }

  /// Whether there is a field of that name.
  package func contains(_ name: FieldName) -> Bool {
    for entry in entries where entry.known == name { return true }
    return false
  }

  /// How often that name stands here.
  package func count(of name: FieldName) -> Int {
    var count = 0
    for entry in entries where entry.known == name { count += 1 }
    return count
  }

  /// Calls `body` with the bytes of the first value of that name; nil if there is none.
  package func withValue<Result>(
    _ name: FieldName, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    for entry in entries where entry.known == name {
      return body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
    return nil
  }

  /// Calls `body` with the bytes of the first value of a name in small letters; nil if none.
  package func withValue<Result>(
    _ name: StaticString, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    for entry in entries where matches(entry, name) {
      return body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
    return nil
  }

  /// Calls `body` with each value of that name, in order.
  package func forEach(named name: FieldName, _ body: (Span<UInt8>) -> Void) {
    for entry in entries where entry.known == name {
      body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
  }

  /// Calls `body` with each value of a name given in small letters, in order.
  package func forEach(named name: StaticString, _ body: (Span<UInt8>) -> Void) {
    for entry in entries where matches(entry, name) {
      body(bytes.span.extracting(HTTPFields.valueRange(entry)))
    }
  }

  /// Calls `body` with every field: the well-known name, if it is one, and the bytes of name (in
  /// small letters) and value.
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

  /// Removes every field of that name.
  package mutating func remove(_ name: FieldName) {
    entries.removeAll { $0.known == name }
  }

  /// Removes every field for which `condition` holds; `name` is empty where `known` says it all.
  package mutating func removeAll(
    where condition: (_ known: FieldName?, _ name: Span<UInt8>) -> Bool
  ) {
    let text = bytes
    entries.removeAll { entry in
      condition(entry.known, text.span.extracting(HTTPFields.nameRange(entry)))
    }
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
