/// Reads the field lines of a head in one pass over its bytes, which become the buffer of the
/// fields themselves: a head costs two allocations, however many fields it has.
enum FieldSection {
  /// The fields in `bytes` from `start` to the empty line at its end. Names are put in small
  /// letters where they stand.
  ///
  /// - Throws: `malformedField`, `bareLineEnd`, `tooManyFields`.
  static func parse(
    _ bytes: consuming [UInt8], from start: Int, fieldsMax: Int
  ) throws(HTTP1Error) -> HTTPFields {
    var fields = HTTPFields(reservingBytes: 0, fields: 16)
    var index = start
    while bytes[index] != ASCII.carriageReturn {
      guard fields.entries.count < fieldsMax else { throw .tooManyFields }
      let entry = try line(&bytes, at: &index)
      fields.entries.append(entry)
    }
    guard index == bytes.count - 2 else { throw .bareLineEnd }
    fields.bytes = bytes
    return fields
  }

  private static func line(
    _ bytes: inout [UInt8], at index: inout Int
  ) throws(HTTP1Error) -> HTTPFields.Entry {
    let nameStart = index
    while ASCII.isToken(bytes[index]) {
      if bytes[index] &- 0x41 < 26 { bytes[index] |= 0x20 }
      index += 1
    }
    let nameCount = index - nameStart
    guard nameCount > 0, bytes[index] == ASCII.colon else { throw .malformedField }
    index += 1
    while bytes[index] == ASCII.space || bytes[index] == ASCII.tab { index += 1 }
    let valueStart = index
    while ASCII.isFieldValue(bytes[index]) { index += 1 }
    var valueEnd = index
    // The last two bytes are CR LF, so a CR always has a byte behind it, and the loop an end.
    guard bytes[index] == ASCII.carriageReturn else { throw .malformedField }
    guard bytes[index + 1] == ASCII.lineFeed else { throw .bareLineEnd }
    index += 2
    while valueEnd > valueStart, isSpace(bytes[valueEnd - 1]) { valueEnd -= 1 }
    let name = bytes.span.extracting(nameStart..<nameStart + nameCount)
    let known = FieldName.known(name)
    return HTTPFields.Entry(
      known: known, nameStart: UInt32(nameStart),
      nameCount: known == nil ? UInt32(nameCount) : 0,
      valueStart: UInt32(valueStart), valueCount: UInt32(valueEnd - valueStart))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == ASCII.space || byte == ASCII.tab
  }
}
