/// Encodes the heads of a server's responses (RFC 7541), without Huffman's code.
///
/// Only lines that come a second time enter the compression table: unique values such as numbers of
/// requests would evict those that every head repeats. The library's encoder hashes each name,
/// searches two tables and encodes all other texts in Huffman's code; it writes empty blocks
/// instead, and no lines of its own into the table. Blocks must be encoded in the order in which
/// they are sent.
final class HTTP2HeadEncoder {
  /// A line of the table, or a place for one.
  private struct Slot {
    /// The hash of the latest line.
    var latest: UInt64 = 0
    var name: FieldName?
    var value: [UInt8] = []
    /// How many lines entered the table before it.
    var number = 0
  }

  private static let slotsMax = 64
  /// The size of the table before the peer's settings (RFC 9113, section 6.5.2).
  private static let initialSizeMax = 4096
  /// Bytes that a line takes besides its texts (RFC 7541, section 4.1).
  private static let lineBytes = 32
  /// Bytes of the status, the length, and the indices and lengths of a field.
  private static let otherBytesMax = 64
  private static let separatorBytes = 12

  private var slots = [Slot](repeating: Slot(), count: slotsMax)
  /// The sizes of the lines in the table, the oldest first.
  private var sizes: [Int] = []
  private var size = 0
  private var sizeMax = initialSizeMax
  /// The number of lines that have entered the table, and of those that have left it.
  private var entered = 0
  private var left = 0

  /// Applies the changes of the table's size at the beginning of a block, which the library writes
  /// when the peer's settings arrive; returns their bytes.
  func applySizes(in block: Span<UInt8>) -> Int {
    var offset = 0
    while offset < block.count, block[offset] & 0xE0 == 0x20 {
      do throws(HPACKError) {
        sizeMax = try HPACKDecoder.integer(in: block, at: &offset, bits: 5)
      } catch {
        // The library wrote the block: it is valid.
        return offset
      }
      evict(to: sizeMax)
    }
    return offset
  }

  /// Appends the block of a head. Content-Length is written from the head's property; a field of
  /// that name and hop-by-hop fields are omitted.
  func append(_ head: borrowing ResponseHead, to output: inout [UInt8]) {
    // Moved out, so that the compiler proves exclusive access.
    var slots: [Slot] = []
    swap(&slots, &self.slots)
    defer { swap(&slots, &self.slots) }
    let room =
      head.fields.writtenBytesMax(separators: Self.separatorBytes) + head.number.count
      + Self.otherBytesMax
    let (status, length) = (head.status, head.contentLength)
    // Spans, because a closure would copy the head.
    let bytes = head.fields.bytes.span
    let entries = head.fields.entries.span
    let number = head.number.span
    output.append(addingCapacity: room) { output in
      append(status, to: &output)
      if let length { HPACKEncoder.append(length: length, to: &output) }
      for index in entries.indices {
        let entry = entries[index]
        let value = bytes.extracting(HTTPFields.valueRange(entry))
        if let known = entry.known {
          guard known != .host, known != .contentLength, !known.isHopByHop else { continue }
          append(known, value, &slots, to: &output)
        } else {
          HPACKEncoder.append(
            name: bytes.extracting(HTTPFields.nameRange(entry)), value, to: &output)
        }
      }
      if !number.isEmpty { HPACKEncoder.append(.requestID, number, to: &output) }
    }
  }

  private func append(_ status: HTTPStatus, to output: inout OutputSpan<UInt8>) {
    let index = HPACKStaticTable.index(ofStatus: status.code)
    guard index == 0 else { return output.append(0x80 | UInt8(index)) }
    output.append(UInt8(HPACKStaticTable.status.lowerBound))
    output.append(3)
    output.append(decimal: UInt64(status.code))
  }

  private func append(
    _ known: FieldName, _ value: Span<UInt8>, _ slots: inout [Slot],
    to output: inout OutputSpan<UInt8>
  ) {
    guard !known.isSecret else { return HPACKEncoder.append(known, value, to: &output) }
    let hash = value.hash(seed: UInt64(known.rawValue))
    let index = Int(hash % UInt64(Self.slotsMax))
    if slots[index].name == known, slots[index].number >= left, value.equals(slots[index].value) {
      let place = HPACKStaticTable.count + entered - slots[index].number
      return HPACKEncoder.append(integer: place, bits: 7, 0x80, to: &output)
    }
    let size = Self.lineBytes + known.text.utf8CodeUnitCount + value.count
    guard slots[index].latest == hash, size <= sizeMax else {
      slots[index].latest = hash
      return HPACKEncoder.append(known, value, to: &output)
    }
    evict(to: sizeMax - size)
    slots[index] = Slot(latest: hash, name: known, value: Array(copying: value), number: entered)
    entered += 1
    self.size += size
    sizes.append(size)
    HPACKEncoder.append(known, value, entersTable: true, to: &output)
  }

  /// Removes the oldest lines until at most `sizeMax` bytes are left.
  private func evict(to sizeMax: Int) {
    while size > sizeMax, !sizes.isEmpty {
      size -= sizes.removeFirst()
      left += 1
    }
  }
}
