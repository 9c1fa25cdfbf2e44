import CZlib

/// Bytes compressed as gzip (RFC 1952).
enum Gzip {
  /// Beyond the 15 bits of the window, 16 selects gzip instead of zlib.
  private static let windowBits: Int32 = 15 + 16

  /// Compresses these bytes at zlib's usual level: higher ones take several times as long at the
  /// start of a process and save about a hundredth.
  static func bytes(of bytes: [UInt8]) -> [UInt8] {
    // SAFETY: the stream stays at one address from `deflateInit2_` to `deflateEnd`. zlib reads
    // exactly the bytes of the input and writes at most the size of the output, which
    // `deflateBound` has made sufficient; the calls fail only if memory is exhausted.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    defer { unsafe stream.deallocate() }
    let begun = unsafe deflateInit2_(
      stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(begun == Z_OK, "zlib could not allocate a stream.")
    defer { unsafe deflateEnd(stream) }
    let room = unsafe Int(deflateBound(stream, UInt(bytes.count)))
    var ended = Z_OK
    let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(source.count)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        ended = unsafe deflate(stream, Z_FINISH)
      }
      count = unsafe room - Int(stream.pointee.avail_out)
    }
    precondition(ended == Z_STREAM_END, "zlib could not compress.")
    return output
  }
}
