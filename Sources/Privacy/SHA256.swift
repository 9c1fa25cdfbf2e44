import COpenSSL

/// The SHA-256 algorithm, looked up once: EVP_sha256() would be looked up anew at every use.
nonisolated(unsafe) let sha256: OpaquePointer = {
  // SAFETY: null asks for the default library context and no properties; the result is kept for
  // the life of the process.
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

/// SHA-256 of a message that comes in pieces, in memory that does not grow with it.
@safe package final class RunningSHA256 {
  private let context: OpaquePointer

  /// The hash of nothing yet.
  package init() {
    // SAFETY: the context is owned from here on and freed by deinit only.
    guard let context = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex2(context, sha256, nil) == 1
    else { preconditionFailure("OpenSSL could not allocate a hash context.") }
    unsafe self.context = context
  }

  deinit {
    // SAFETY: made in init and nobody uses it any more.
    unsafe EVP_MD_CTX_free(context)
  }

  /// Takes the next piece.
  package func append(_ bytes: Span<UInt8>) {
    // SAFETY: a live context reads exactly the span's bytes.
    let done = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    precondition(done == 1, "OpenSSL could not hash.")
  }

  /// The hash of all pieces; the next piece begins a new message.
  package func finish() -> Digest256 {
    var result = InlineArray<32, UInt8>(repeating: 0)
    var output = result.mutableSpan
    // SAFETY: SHA-256 writes 32 bytes, which is what the array holds; the live context is then
    // set to the beginning.
    let done = unsafe output.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
        & EVP_DigestInit_ex2(context, sha256, nil)
    }
    precondition(done == 1, "OpenSSL could not hash.")
    return Digest256(first32Of: result.span)
  }
}
