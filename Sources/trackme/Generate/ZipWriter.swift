import CZlib

// SAFETY: the stream is at one place from `deflateInit2_` to `deflateEnd`; its pointers to input
// and output are set for each call, inside the closures that lend them.

/// A zip of one deflated entry, written front to back: the sizes follow the data (APPNOTE 6.3.10,
/// 4.3.9), as they do in the zips that phones write.
@safe package final class ZipWriter {
  private let stream: UnsafeMutablePointer<z_stream>
  private let name: [UInt8]
  private var checksum: UInt = 0
  private var inflatedBytes = 0
  private var deflatedBytes = 0

  /// A writer of an entry under this name; nil where there is no memory for it.
  package init?(entry name: String) {
    self.name = Array(name.utf8)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
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

  /// What stands before the data.
  package func beginning() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: 0x0403_4B50, count: 4)
    appendDescription(sizes: false, to: &bytes)
    bytes.append(contentsOf: name)
    return bytes
  }

  /// The next data, deflated; `isLast` with the last of it, which may be empty.
  package func deflate(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    var output: [UInt8] = []
    unsafe bytes.withUnsafeBufferPointer { source in
      checksum =
        bytes.isEmpty ? checksum : unsafe crc32(checksum, source.baseAddress, UInt32(source.count))
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(source.count)
      var isFull = true
      while isFull {
        let room = 256 * 1024
        output += unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
          unsafe stream.pointee.next_out = target.baseAddress
          unsafe stream.pointee.avail_out = UInt32(room)
          _ = unsafe CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
          count = unsafe room - Int(stream.pointee.avail_out)
          isFull = unsafe stream.pointee.avail_out == 0
        }
      }
      unsafe stream.pointee.next_in = nil
      unsafe stream.pointee.next_out = nil
    }
    inflatedBytes += bytes.count
    deflatedBytes += output.count
    return output
  }

  /// What stands behind the data.
  package func end() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: 0x0807_4B50, count: 4)
    appendSizes(to: &bytes)
    let directory = 30 + name.count + deflatedBytes + bytes.count
    bytes.append(little: 0x0201_4B50, count: 4)
    bytes.append(little: 20, count: 2)
    appendDescription(sizes: true, to: &bytes)
    // No comment, first disk, no attributes, the local header at the beginning.
    bytes.append(little: 0, count: 14)
    bytes.append(contentsOf: name)
    let directoryBytes = 30 + name.count + deflatedBytes + bytes.count - directory
    bytes.append(little: 0x0605_4B50, count: 4)
    bytes.append(little: 0, count: 4)
    bytes.append(little: 1, count: 2)
    bytes.append(little: 1, count: 2)
    bytes.append(little: directoryBytes, count: 4)
    bytes.append(little: directory, count: 4)
    bytes.append(little: 0, count: 2)
    return bytes
  }

  /// Version, flags (sizes behind the data), method, a date (2026-03-01), sizes, lengths.
  private func appendDescription(sizes: Bool, to bytes: inout [UInt8]) {
    bytes.append(little: 20, count: 2)
    bytes.append(little: 8, count: 2)
    bytes.append(little: 8, count: 2)
    bytes.append(little: 0, count: 2)
    bytes.append(little: (2026 - 1980) << 9 | 3 << 5 | 1, count: 2)
    if sizes { appendSizes(to: &bytes) } else { bytes.append(little: 0, count: 12) }
    bytes.append(little: name.count, count: 2)
    bytes.append(little: 0, count: 2)
  }

  private func appendSizes(to bytes: inout [UInt8]) {
    bytes.append(little: Int(checksum), count: 4)
    bytes.append(little: deflatedBytes, count: 4)
    bytes.append(little: inflatedBytes, count: 4)
  }
}

extension [UInt8] {
  /// Adds the lowest bytes of a number, the lowest first.
  fileprivate mutating func append(little number: Int, count: Int) {
    for place in 0..<count {
      append(place < 8 ? UInt8(truncatingIfNeeded: number >> (8 * place)) : 0)
    }
  }
}
