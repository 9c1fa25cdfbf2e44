import COpenSSL

/// The SHA-256 algorithm, fetched once: EVP_sha256() would fetch it at every use.
nonisolated(unsafe) let sha256: OpaquePointer = {
  // SAFETY: null selects the default library context and no properties; the result is kept for the
  // life of the process.
  guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
    preconditionFailure("OpenSSL does not offer SHA-256.")
  }
  return unsafe algorithm
}()

/// SHA-256 (FIPS 180-4) of a whole message.
package enum SHA256 {
  /// Hashes the bytes.
  package static func digest(of bytes: Span<UInt8>) -> Digest256 {
    var result = InlineArray<32, UInt8>(repeating: 0)
    var output = result.mutableSpan
    // SAFETY: reads exactly the span's bytes and writes 32, the algorithm's length, into 32.
    let done = unsafe bytes.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { buffer in
        unsafe EVP_Digest(input.baseAddress, input.count, buffer.baseAddress, nil, sha256, nil)
      }
    }
    precondition(done == 1, "OpenSSL could not hash.")
    return Digest256(first32Of: result.span)
  }
}

/// SHA-256 of a message that arrives in parts, in constant memory.
@safe package final class RunningSHA256 {
  private let context: OpaquePointer

  /// Creates a hash of an empty message.
  package init() {
    // SAFETY: this object owns the context from here on, and only deinit frees it.
    guard let context = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex2(context, sha256, nil) == 1
    else { preconditionFailure("OpenSSL could not allocate a hash context.") }
    unsafe self.context = context
  }

  deinit {
    // SAFETY: created in init and no longer used.
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds the next part.
  package func append(_ bytes: Span<UInt8>) {
    // SAFETY: a valid context reads exactly the span's bytes.
    let done = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    precondition(done == 1, "OpenSSL could not hash.")
  }

  /// The hash of all parts; the next part begins a new message.
  package func finish() -> Digest256 {
    var result = InlineArray<32, UInt8>(repeating: 0)
    var output = result.mutableSpan
    // SAFETY: SHA-256 writes 32 bytes, the size of the array; the valid context is then reset.
    let done = unsafe output.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
        & EVP_DigestInit_ex2(context, sha256, nil)
    }
    precondition(done == 1, "OpenSSL could not hash.")
    return Digest256(first32Of: result.span)
  }
}
