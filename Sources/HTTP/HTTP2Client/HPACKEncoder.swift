import Operations

/// Encodes the heads of requests with the static table and plain literals (RFC 7541): without
/// Huffman's code and without the dynamic table, which cost more than the bytes that they save
/// between processes of one machine or network.
package enum HPACKEncoder {
  private static let withoutIndexing: UInt8 = 0x00
  private static let neverIndexed: UInt8 = 0x10
  private static let withIndexing: UInt8 = 0x40

  /// Sets the size of the dynamic table to 0, at the beginning of a connection's first block.
  static let noTable: UInt8 = 0x20

  /// Appends the block of a request.
  ///
  /// Content-Length is written from the head's property; a field of that name and hop-by-hop fields
  /// are omitted.
  package static func append(_ head: borrowing RequestHead, to output: inout [UInt8]) {
    let room =
      head.fields.writtenBytesMax(separators: separatorBytes) + head.target.count + otherBytesMax
    output.append(addingCapacity: room) { output in append(head, to: &output) }
  }

  /// Appends the block of a request whose head is prepared.
  static func append(_ request: borrowing PreparedRequest, to output: inout [UInt8]) {
    let block = request.prepared.block
    let number = request.number
    output.append(
      addingCapacity: block.count + number.count + TraceParent.bytes + otherBytesMax
    ) { output in
      output.append(copying: block.span)
      append(length: request.contentLength, to: &output)
      append(.requestID, number.span, to: &output)
      if let trace = request.trace {
        appendName(.traceParent, to: &output)
        append(integer: TraceParent.bytes, bits: 7, 0, to: &output)
        trace.append(to: &output)
      }
    }
  }

  /// Bytes of the index and of the lengths of name and value: at most four each, as for texts below
  /// 2 to the power of 21.
  private static let separatorBytes = 12
  /// The most bytes of the fields that are not among those of the head, without the target.
  private static let otherBytesMax = 128

  private static func append(_ head: borrowing RequestHead, to output: inout OutputSpan<UInt8>) {
    appendMethod(head.method, to: &output)
    if case .connect = head.method {
    } else {
      output.append(0x80 | UInt8(HPACKStaticTable.scheme + (head.isSecure ? 1 : 0)))
      append(HPACKStaticTable.path, head.target.span, to: &output)
    }
    let bytes = head.fields.bytes.span
    for entry in head.fields.entries where entry.known == .host {
      append(
        HPACKStaticTable.authority, bytes.extracting(HTTPFields.valueRange(entry)), to: &output)
      break
    }
    if let length = head.contentLength { append(length: length, to: &output) }
    for entry in head.fields.entries {
      let value = bytes.extracting(HTTPFields.valueRange(entry))
      if let known = entry.known {
        guard known != .host, known != .contentLength, !known.isHopByHop else { continue }
        append(known, value, to: &output)
      } else {
        append(name: bytes.extracting(HTTPFields.nameRange(entry)), value, to: &output)
      }
    }
  }

  private static func appendMethod(_ method: HTTPMethod, to output: inout OutputSpan<UInt8>) {
    switch method {
    case .get: output.append(0x80 | UInt8(HPACKStaticTable.method))
    case .post: output.append(0x80 | UInt8(HPACKStaticTable.method + 1))
    default:
      let text = method.text
      append(HPACKStaticTable.method, text.utf8Span.span, to: &output)
    }
  }

  /// Appends Content-Length.
  static func append(length: UInt64, to output: inout OutputSpan<UInt8>) {
    append(
      integer: HPACKStaticTable.index(of: .contentLength), bits: 4, withoutIndexing, to: &output)
    // At most twenty digits, so that their number takes one byte.
    var count: UInt8 = 1
    var rest = length / 10
    while rest > 0 {
      count += 1
      rest /= 10
    }
    output.append(count)
    output.append(decimal: length)
  }

  /// Appends a field, which the peer enters into its table if `entersTable`.
  static func append(
    _ known: FieldName, _ value: Span<UInt8>, entersTable: Bool = false,
    to output: inout OutputSpan<UInt8>
  ) {
    appendName(known, entersTable: entersTable, to: &output)
    append(text: value, to: &output)
  }

  private static func appendName(
    _ known: FieldName, entersTable: Bool = false, to output: inout OutputSpan<UInt8>
  ) {
    let index = HPACKStaticTable.index(of: known)
    if entersTable {
      append(integer: index, bits: 6, withIndexing, to: &output)
    } else {
      append(integer: index, bits: 4, known.isSecret ? neverIndexed : withoutIndexing, to: &output)
    }
    guard index == 0 else { return }
    let name = known.text
    // SAFETY: a static string's bytes live forever.
    append(
      text: unsafe Span(_unsafeStart: name.utf8Start, count: name.utf8CodeUnitCount), to: &output)
  }

  /// Appends a field with a name that is not well known.
  static func append(
    name: Span<UInt8>, _ value: Span<UInt8>, to output: inout OutputSpan<UInt8>
  ) {
    output.append(withoutIndexing)
    append(text: name, to: &output)
    append(text: value, to: &output)
  }

  /// Appends a field with the name of an entry of the static table.
  private static func append(
    _ index: Int, _ value: Span<UInt8>, to output: inout OutputSpan<UInt8>
  ) {
    append(integer: index, bits: 4, withoutIndexing, to: &output)
    append(text: value, to: &output)
  }

  private static func append(text: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    append(integer: text.count, bits: 7, 0, to: &output)
    output.append(copying: text)
  }

  /// Appends a number that begins in the last `bits` bits of a byte with these flags (RFC 7541,
  /// section 5.1), at most ten bytes.
  package static func append(
    integer value: Int, bits: Int, _ flags: UInt8, to output: inout [UInt8]
  ) {
    output.append(addingCapacity: 11) { output in
      append(integer: value, bits: bits, flags, to: &output)
    }
  }

  /// Appends a number that begins in the last `bits` bits of a byte with these flags (RFC 7541,
  /// section 5.1).
  @inline(__always)
  static func append(
    integer value: Int, bits: Int, _ flags: UInt8, to output: inout OutputSpan<UInt8>
  ) {
    let mask = 1 << bits - 1
    if value < mask { return output.append(flags | UInt8(truncatingIfNeeded: value)) }
    appendLong(value - mask, flags | UInt8(truncatingIfNeeded: mask), to: &output)
  }

  private static func appendLong(
    _ value: Int, _ first: UInt8, to output: inout OutputSpan<UInt8>
  ) {
    output.append(first)
    var rest = value
    while rest >= 128 {
      output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(truncatingIfNeeded: rest))
  }
}
