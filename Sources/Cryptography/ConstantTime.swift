import COpenSSL

/// Compares secrets in a time that depends only on their lengths, which are not secret.
package func areEqualInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  // SAFETY: both spans have `left.count` bytes, and CRYPTO_memcmp does not read beyond.
  return unsafe left.withUnsafeBufferPointer { left in
    unsafe right.withUnsafeBufferPointer { right in
      unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
    }
  }
}
