/// Parses the field lines of a head in one pass over its bytes, which become the buffer of the
/// fields: a head costs two allocations for any number of fields.
enum FieldSection {
  /// Parses the fields in `bytes` from `start` to the empty line at the end, and converts names to
  /// lower case in place.
  ///
  /// - Throws: `malformedField`, `bareLineEnd`, `tooManyFields`.
  static func parse(
    _ bytes: consuming [UInt8], from start: Int, fieldsMax: Int
  ) throws(HTTP1Error) -> HTTPFields {
    var fields = HTTPFields(reservingBytes: 0, fields: HTTPFields.entryRoom)
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
    guard let colon = bytes.span.firstIndex(of: ASCII.colon, from: nameStart), colon > nameStart
    else { throw .malformedField }
    // A well-known name is a token, and is not read again.
    let known = FieldName.known(bytes.span.extracting(nameStart..<colon))
    if known == nil {
      for place in nameStart..<colon {
        guard ASCII.isToken(bytes[place]) else { throw .malformedField }
        if bytes[place] &- 0x41 < 26 { bytes[place] |= 0x20 }
      }
    }
    let valueStart = colon + 1
    // The last two bytes are CR LF, so a CR exists, and a byte follows it.
    guard let end = bytes.span.firstIndex(of: ASCII.carriageReturn, from: valueStart) else {
      throw .malformedField
    }
    let line = bytes.span.extracting(valueStart..<end)
    guard line.isFieldValue else { throw .malformedField }
    guard bytes[end + 1] == ASCII.lineFeed else { throw .bareLineEnd }
    index = end + 2
    let value = line.trimmedRange
    return HTTPFields.Entry(
      known: known, nameStart: UInt32(nameStart),
      nameCount: known == nil ? UInt32(colon - nameStart) : 0,
      valueStart: UInt32(valueStart + value.lowerBound), valueCount: UInt32(value.count))
  }
}
