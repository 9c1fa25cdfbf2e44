import CZlib

// SAFETY: the stream stays at one address from `deflateInit2_` to `deflateEnd`; its pointers to
// input and output are set for each call, inside the closures that lend them.

/// A zip of deflated entries, written front to back (APPNOTE 6.3.10): the sizes follow the data
/// (4.3.9), in eight bytes each, since they are unknown beforehand (4.5.3).
///
/// It stores only the directory, some dozen bytes per entry, so memory for one piece suffices for
/// any length. Begin an entry, write it, end it; then the next, and `end` at last.
@safe package final class ZipWriter {
  private struct Entry {
    let name: [UInt8]
    let offset: UInt64
    var checksum: UInt = 0
    var inflatedBytes: UInt64 = 0
    var deflatedBytes: UInt64 = 0
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let wordMax: UInt64
  private let date: Int
  private var entries: [Entry] = []
  private var offset: UInt64 = 0

  /// A writer of a zip whose entries have this date; nil without memory for it.
  ///
  /// Sizes and offsets from `wordMax` on are written in fields of eight bytes: all ones in the
  /// field of four mark that. Tests set it lower.
  package init?(year: Int, month: Int, day: Int, wordMax: UInt64 = 0xFFFF_FFFF) {
    self.wordMax = wordMax
    date = (year - 1980) << 9 | month << 5 | day
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // Level 1: most of the data is numbers, which slower levels compress only a little better.
    let code = unsafe deflateInit2_(
      stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Begins an entry of this name in UTF-8.
  package func begin(_ name: String) -> [UInt8] {
    let entry = Entry(name: Array(name.utf8), offset: offset)
    entries.append(entry)
    _ = unsafe deflateReset(stream)
    var bytes: [UInt8] = []
    bytes.append(little: 0x0403_4B50, count: 4)
    appendDescription(to: &bytes)
    bytes.append(little: 0, count: 4)
    for _ in 0..<2 { bytes.append(little: 0xFFFF_FFFF, count: 4) }
    bytes.append(little: UInt64(entry.name.count), count: 2)
    bytes.append(little: 20, count: 2)
    bytes.append(contentsOf: entry.name)
    bytes.append(little: 1, count: 2)
    bytes.append(little: 16, count: 2)
    for _ in 0..<2 { bytes.append(little: 0, count: 8) }
    return counted(bytes)
  }

  /// Deflates the next data of the entry; the result is often empty.
  package func write(_ bytes: [UInt8]) -> [UInt8] {
    guard !entries.isEmpty, !bytes.isEmpty else { return [] }
    let place = entries.count - 1
    let before = entries[place].checksum
    entries[place].checksum = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe crc32(before, source.baseAddress, UInt32(source.count))
    }
    entries[place].inflatedBytes += UInt64(bytes.count)
    return deflated(bytes, Z_NO_FLUSH)
  }

  /// The rest of the entry, and its sizes.
  package func endEntry() -> [UInt8] {
    let rest = deflated([], Z_FINISH)
    guard let entry = entries.last else { return [] }
    var bytes: [UInt8] = []
    bytes.append(little: 0x0807_4B50, count: 4)
    bytes.append(little: UInt64(entry.checksum), count: 4)
    bytes.append(little: entry.deflatedBytes, count: 8)
    bytes.append(little: entry.inflatedBytes, count: 8)
    return rest + counted(bytes)
  }

  /// The directory, which ends the zip.
  package func end() -> [UInt8] {
    let start = offset
    var bytes: [UInt8] = []
    for entry in entries { append(entry, to: &bytes) }
    let count = UInt64(entries.count)
    let size = UInt64(bytes.count)
    if max(start, size) >= wordMax || count >= 0xFFFF {
      appendLargeEnd(at: start, size, count, to: &bytes)
    }
    bytes.append(little: 0x0605_4B50, count: 4)
    bytes.append(little: 0, count: 4)
    for _ in 0..<2 { bytes.append(little: min(count, 0xFFFF), count: 2) }
    for number in [size, start] {
      bytes.append(little: number >= wordMax ? 0xFFFF_FFFF : number, count: 4)
    }
    bytes.append(little: 0, count: 2)
    return counted(bytes)
  }

  // MARK: Parts

  private func counted(_ bytes: [UInt8]) -> [UInt8] {
    offset += UInt64(bytes.count)
    return bytes
  }

  /// Version, flags (sizes after the data, the name in UTF-8), method, time and date.
  private func appendDescription(to bytes: inout [UInt8]) {
    for number: UInt64 in [45, 0x0808, 8, 0, UInt64(date)] {
      bytes.append(little: number, count: 2)
    }
  }

  private func append(_ entry: Entry, to bytes: inout [UInt8]) {
    let numbers = [entry.inflatedBytes, entry.deflatedBytes, entry.offset]
    let large = numbers.filter { $0 >= wordMax }
    func word(_ number: UInt64) -> UInt64 { number >= wordMax ? 0xFFFF_FFFF : number }
    bytes.append(little: 0x0201_4B50, count: 4)
    // Marked as made by Unix: with other systems, some readers decode names in their own code page.
    bytes.append(little: 3 << 8 | 45, count: 2)
    appendDescription(to: &bytes)
    bytes.append(little: UInt64(entry.checksum), count: 4)
    bytes.append(little: word(entry.deflatedBytes), count: 4)
    bytes.append(little: word(entry.inflatedBytes), count: 4)
    bytes.append(little: UInt64(entry.name.count), count: 2)
    bytes.append(little: large.isEmpty ? 0 : UInt64(4 + 8 * large.count), count: 2)
    // No comment, first disk; a file that its owner writes and all read (stat, st_mode).
    for _ in 0..<3 { bytes.append(little: 0, count: 2) }
    bytes.append(little: 0o100644 << 16, count: 4)
    bytes.append(little: word(entry.offset), count: 4)
    bytes.append(contentsOf: entry.name)
    guard !large.isEmpty else { return }
    bytes.append(little: 1, count: 2)
    bytes.append(little: UInt64(8 * large.count), count: 2)
    for number in large { bytes.append(little: number, count: 8) }
  }

  /// The end of the directory with eight bytes per number, and its offset.
  private func appendLargeEnd(
    at start: UInt64, _ size: UInt64, _ count: UInt64, to bytes: inout [UInt8]
  ) {
    bytes.append(little: 0x0606_4B50, count: 4)
    bytes.append(little: 44, count: 8)
    for _ in 0..<2 { bytes.append(little: 45, count: 2) }
    for _ in 0..<2 { bytes.append(little: 0, count: 4) }
    for number in [count, count, size, start] { bytes.append(little: number, count: 8) }
    bytes.append(little: 0x0706_4B50, count: 4)
    bytes.append(little: 0, count: 4)
    bytes.append(little: start + size, count: 8)
    bytes.append(little: 1, count: 4)
  }

  private func deflated(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
    var output: [UInt8] = []
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(source.count)
      var isFull = true
      while isFull {
        let room = 64 * 1024
        output += unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
          unsafe stream.pointee.next_out = target.baseAddress
          unsafe stream.pointee.avail_out = UInt32(room)
          _ = unsafe CZlib.deflate(stream, flush)
          count = unsafe room - Int(stream.pointee.avail_out)
          isFull = unsafe stream.pointee.avail_out == 0
        }
      }
      unsafe stream.pointee.next_in = nil
      unsafe stream.pointee.next_out = nil
    }
    if !entries.isEmpty { entries[entries.count - 1].deflatedBytes += UInt64(output.count) }
    return counted(output)
  }
}

extension [UInt8] {
  /// Adds the lowest bytes of a number, lowest first.
  fileprivate mutating func append(little number: UInt64, count: Int) {
    for place in 0..<count { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
  }
}
