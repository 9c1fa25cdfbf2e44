import CZlib

/// Bytes compressed as zlib streams (RFC 1950).
enum Deflated {
  /// Compresses these bytes.
  static func bytes(of bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(count))
    // SAFETY: zlib reads exactly the bytes of one array and writes at most `count` bytes to the
    // other, which has that size; it fails only if memory is exhausted.
    let result = unsafe bytes.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe compress2(output.baseAddress, &count, input.baseAddress, UInt(input.count), 6)
      }
    }
    precondition(result == Z_OK, "zlib could not compress.")
    return Array(output.prefix(Int(count)))
  }
}
