import COpenSSL

/// A key for HMAC-SHA256 (RFC 2104), expanded once so that each message costs only its own blocks.
///
/// The two contexts have absorbed the padded key and are only copied afterwards, so all threads may
/// use one key at the same time. OpenSSL overwrites the contexts when they are freed.
@safe package final class HMACKey: @unchecked Sendable {
  private let inner: OpaquePointer
  private let outer: OpaquePointer

  /// Expands a key of any length (RFC 2104: one over 64 bytes is hashed first).
  package init(_ key: Span<UInt8>) {
    // SAFETY: this object owns the two contexts from here on, and only deinit frees them.
    unsafe (inner, outer) = Self.expand(key)
  }

  /// Expands a secret.
  package init(_ key: SecretBytes) {
    // SAFETY: as above; the bytes are read inside the closure only.
    unsafe (inner, outer) = key.withBytes { unsafe Self.expand($0) }
  }

  deinit {
    // SAFETY: both were created in init and are no longer used.
    unsafe EVP_MD_CTX_free(inner)
    unsafe EVP_MD_CTX_free(outer)
  }

  /// The authentication code of a message.
  package func code(of message: Span<UInt8>) -> Digest256 {
    code(of: message, then: Span())
  }

  /// The authentication code of the concatenation of two parts.
  ///
  /// Where the parts come from different sources, the first must have a fixed length or an
  /// unambiguous end; otherwise two different pairs could have the same code.
  package func code(of first: Span<UInt8>, then second: Span<UInt8>) -> Digest256 {
    // SAFETY: the context is created, used and freed here.
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure("OpenSSL could not allocate a hash context.")
    }
    defer { unsafe EVP_MD_CTX_free(context) }
    var result = InlineArray<32, UInt8>(repeating: 0)
    unsafe Self.resume(context, from: inner)
    unsafe Self.absorb(first, into: context)
    if !second.isEmpty { unsafe Self.absorb(second, into: context) }
    unsafe Self.finish(context, into: &result)
    unsafe Self.resume(context, from: outer)
    unsafe Self.absorb(result.span, into: context)
    unsafe Self.finish(context, into: &result)
    return Digest256(first32Of: result.span)
  }

  private static func expand(_ key: Span<UInt8>) -> (OpaquePointer, OpaquePointer) {
    var block = InlineArray<64, UInt8>(repeating: 0)
    if key.count > block.count {
      let hashed = SHA256.digest(of: key).inlineBytes
      for index in hashed.indices { block[index] = hashed[index] }
    } else {
      for index in key.indices { block[index] = key[index] }
    }
    for index in block.indices { block[index] ^= 0x36 }
    let inner = unsafe makeContext(absorbing: block.span)
    for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
    let outer = unsafe makeContext(absorbing: block.span)
    var wiped = block.mutableSpan
    // SAFETY: overwrites exactly the span's bytes.
    unsafe wiped.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    return unsafe (inner, outer)
  }

  private static func makeContext(absorbing block: Span<UInt8>) -> OpaquePointer {
    // SAFETY: the new context is passed to the caller, which frees it in deinit.
    guard let context = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex2(context, sha256, nil) == 1
    else { preconditionFailure("OpenSSL could not allocate a hash context.") }
    unsafe absorb(block, into: context)
    return unsafe context
  }

  private static func resume(_ context: OpaquePointer, from start: OpaquePointer) {
    // SAFETY: both are valid contexts; `start` is only read.
    let done = unsafe EVP_MD_CTX_copy_ex(context, start)
    precondition(done == 1, "OpenSSL could not copy a hash context.")
  }

  private static func absorb(_ bytes: Span<UInt8>, into context: OpaquePointer) {
    // SAFETY: a valid context reads exactly the span's bytes.
    let done = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    precondition(done == 1, "OpenSSL could not hash.")
  }

  private static func finish(_ context: OpaquePointer, into result: inout InlineArray<32, UInt8>) {
    var output = result.mutableSpan
    // SAFETY: SHA-256 writes 32 bytes, the size of the array.
    let done = unsafe output.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    precondition(done == 1, "OpenSSL could not hash.")
  }
}
