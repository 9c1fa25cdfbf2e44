/// Why a field block cannot be decoded (RFC 7541); each is a COMPRESSION_ERROR of the connection.
package enum HPACKError: Error, Hashable, Sendable {
  /// The block ends within a field.
  case truncated
  /// A number is longer than any valid one.
  case invalidInteger
  /// An index outside the static table: the dynamic table is empty.
  case invalidIndex
  /// A text is not valid in Huffman's code.
  case invalidText
  /// The peer sets a size of the dynamic table other than 0, or within a block.
  case invalidTableSize
}

/// Receives the fields of a block, in their order. The bytes are valid during the call only.
package protocol HPACKSink {
  /// An entry of the static table, with its value.
  mutating func add(index: Int)
  /// The name of an entry of the static table with another value.
  mutating func add(index: Int, value: Span<UInt8>)
  /// A name and a value.
  mutating func add(name: Span<UInt8>, value: Span<UInt8>)
}

/// Decodes field blocks of a peer that was told to use no dynamic table
/// (SETTINGS_HEADER_TABLE_SIZE 0).
///
/// No block therefore depends on earlier ones. An instruction to add a field to the table is valid,
/// and has no effect because the field is larger than the table (RFC 7541, section 4.4).
package struct HPACKDecoder {
  /// The numbers of this protocol are lengths and indices below 2 to the power of 28.
  private static let continuationsMax = 4

  /// A text of a field, in the block or decoded in `texts`.
  private struct Text {
    var range: Range<Int>
    var isDecoded: Bool
  }

  /// A text that was received twice in Huffman's code, and the code.
  private struct Known {
    var code: [UInt8] = []
    var text: [UInt8] = []
    /// The hash of the latest code that was not this one.
    var latest: UInt64 = 0
  }

  private static let knownCount = 8
  /// The longest code that is kept.
  private static let knownBytesMax = 64

  private var texts: [UInt8] = []
  /// Services repeat most texts, such as the date of a second; decoding costs far more than finding
  /// them here.
  private var known: [Known] = []

  /// A decoder for one connection.
  package init() {}

  /// Passes the fields of a complete block to `sink`.
  package mutating func decode(
    _ block: Span<UInt8>, into sink: inout some HPACKSink
  ) throws(HPACKError) {
    var offset = 0
    var mayResize = true
    while offset < block.count {
      let first = block[offset]
      if first & 0x80 != 0 {
        let index = try Self.integer(in: block, at: &offset, bits: 7)
        guard index >= 1, index <= HPACKStaticTable.count else { throw .invalidIndex }
        sink.add(index: index)
      } else if first & 0xE0 == 0x20 {
        let size = try Self.integer(in: block, at: &offset, bits: 5)
        guard mayResize, size == 0 else { throw .invalidTableSize }
        continue
      } else {
        try decodeLiteral(block, at: &offset, bits: first & 0x40 != 0 ? 6 : 4, into: &sink)
      }
      mayResize = false
    }
  }

  private mutating func decodeLiteral(
    _ block: Span<UInt8>, at offset: inout Int, bits: Int, into sink: inout some HPACKSink
  ) throws(HPACKError) {
    texts.removeAll(keepingCapacity: texts.capacity <= 4096)
    let index = try Self.integer(in: block, at: &offset, bits: bits)
    guard index == 0 else {
      guard index <= HPACKStaticTable.count else { throw .invalidIndex }
      let value = try text(in: block, at: &offset)
      if value.isDecoded {
        sink.add(index: index, value: texts.span.extracting(value.range))
      } else {
        sink.add(index: index, value: block.extracting(value.range))
      }
      return
    }
    var name = try text(in: block, at: &offset)
    var value = try text(in: block, at: &offset)
    guard name.isDecoded || value.isDecoded else {
      return sink.add(
        name: block.extracting(name.range), value: block.extracting(value.range))
    }
    copy(&name, of: block)
    copy(&value, of: block)
    sink.add(name: texts.span.extracting(name.range), value: texts.span.extracting(value.range))
  }

  /// Moves a text of the block beside a decoded one.
  private mutating func copy(_ text: inout Text, of block: Span<UInt8>) {
    guard !text.isDecoded else { return }
    let start = texts.count
    texts.append(copying: block.extracting(text.range))
    text = Text(range: start..<texts.count, isDecoded: true)
  }

  private mutating func text(
    in block: Span<UInt8>, at offset: inout Int
  ) throws(HPACKError) -> Text {
    guard offset < block.count else { throw .truncated }
    let isEncoded = block[offset] & 0x80 != 0
    let count = try Self.integer(in: block, at: &offset, bits: 7)
    guard count <= block.count - offset else { throw .truncated }
    let range = offset..<(offset + count)
    offset += count
    guard isEncoded else { return Text(range: range, isDecoded: false) }
    let start = texts.count
    try decode(block.extracting(range))
    return Text(range: start..<texts.count, isDecoded: true)
  }

  /// Appends the text of a code to `texts`.
  private mutating func decode(_ code: Span<UInt8>) throws(HPACKError) {
    guard code.count > 0, code.count <= Self.knownBytesMax else {
      guard HPACKHuffman.decode(code, into: &texts) else { throw .invalidText }
      return
    }
    if known.isEmpty { known = Array(repeating: Known(), count: Self.knownCount) }
    let slot = (Int(code[0]) ^ Int(code[code.count - 1]) ^ code.count) & (Self.knownCount - 1)
    let kept = known[slot]
    if code.equals(kept.code.span) { return texts.append(copying: kept.text.span) }
    let start = texts.count
    guard HPACKHuffman.decode(code, into: &texts) else { throw .invalidText }
    var hash = UInt64(code.count)
    for index in code.indices { hash = (hash ^ UInt64(code[index])) &* 0x0000_0100_0000_01B3 }
    if kept.latest == hash {
      known[slot].code = Array(copying: code)
      known[slot].text = Array(texts[start...])
    }
    known[slot].latest = hash
  }

  /// Reads a number that begins in the last `bits` bits of a byte (RFC 7541, section 5.1).
  package static func integer(
    in block: Span<UInt8>, at offset: inout Int, bits: Int
  ) throws(HPACKError) -> Int {
    guard offset < block.count else { throw .truncated }
    let mask = 1 << bits - 1
    var value = Int(block[offset]) & mask
    offset += 1
    guard value == mask else { return value }
    for step in 0..<continuationsMax {
      guard offset < block.count else { throw .truncated }
      let byte = block[offset]
      offset += 1
      value += Int(byte & 0x7F) << (7 * step)
      if byte & 0x80 == 0 { return value }
    }
    throw .invalidInteger
  }
}
