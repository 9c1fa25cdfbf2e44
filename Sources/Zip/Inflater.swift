import CZlib

// SAFETY: the stream stays at one address from `inflateInit2_` to `inflateEnd`, as zlib requires;
// its pointers to input and output are set for each call, inside the closures that lend them.

/// Inflates raw deflate (RFC 1951) piece by piece into a window that does not grow.
@safe final class Inflater {
  /// The result of a step.
  struct Step {
    /// The number of input bytes consumed.
    let consumed: Int
    /// Whether the compressed data ended.
    let isAtEnd: Bool
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// nil if memory is short.
  init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // Negative: raw data without zlib's own header, a window of 2^15 bytes.
    let code = unsafe inflateInit2_(
      stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates from `input` into `output`, truncated to the bytes produced; nil for broken data.
  func step(_ input: Span<UInt8>, into output: inout [UInt8], max outputMax: Int) -> Step? {
    var code = Z_OK
    var consumed = 0
    unsafe input.withUnsafeBufferPointer { source in
      output = unsafe [UInt8](unsafeUninitializedCapacity: outputMax) { target, count in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(clamping: source.count)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(clamping: outputMax)
        code = unsafe inflate(stream, Z_NO_FLUSH)
        consumed = unsafe source.count - Int(stream.pointee.avail_in)
        count = unsafe outputMax - Int(stream.pointee.avail_out)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
      }
    }
    switch code {
    case Z_OK, Z_BUF_ERROR: return Step(consumed: consumed, isAtEnd: false)
    case Z_STREAM_END: return Step(consumed: consumed, isAtEnd: true)
    default: return nil
    }
  }
}

/// The checksum of each zip entry (CRC-32 of ISO 3309).
struct CRC32 {
  private(set) var value: UInt32 = 0

  /// Adds more bytes.
  mutating func update(_ bytes: Span<UInt8>) {
    let before = UInt(value)
    let after = unsafe bytes.withUnsafeBufferPointer {
      unsafe crc32(before, $0.baseAddress, UInt32(clamping: $0.count))
    }
    // Without bytes zlib returns the checksum of an empty input, not the current one.
    if !bytes.isEmpty { value = UInt32(truncatingIfNeeded: after) }
  }
}
