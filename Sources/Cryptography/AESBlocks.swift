import COpenSSL

/// AES-256 of single blocks (ECB of NIST SP 800-38A), fetched once per process.
private nonisolated(unsafe) let aes256ECB: OpaquePointer = {
  // SAFETY: null selects the default library context and no properties.
  guard let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil) else {
    preconditionFailure("OpenSSL does not offer AES-256-ECB.")
  }
  return unsafe algorithm
}()

/// The block cipher AES-256 (FIPS 197) under a secret key, used as a pseudorandom function: the
/// same block always yields the same number.
///
/// Equal blocks stay recognisable, so it does not keep a message secret: use ``SealingKey``.
package struct AESBlocks: Sendable {
  private let key: SecretBytes

  /// Takes a key of 32 bytes.
  package init(key: SecretBytes) {
    precondition(key.count == 32, "AES-256 has keys of 32 bytes.")
    self.key = key
  }

  /// Encrypts blocks of two words each in place; the byte order is that of a little-endian machine.
  package func encrypt(_ blocks: inout [UInt64]) {
    precondition(blocks.count % 2 == 0 && blocks.count <= 1 << 27, "Blocks have 16 bytes.")
    // SAFETY: the context is created, used and freed here.
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      preconditionFailure("OpenSSL could not allocate a cipher context.")
    }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let isReady = key.withBytes { bytes in
      // SAFETY: the key has 32 bytes, as the algorithm requires.
      unsafe bytes.withUnsafeBufferPointer {
        unsafe EVP_EncryptInit_ex2(context, aes256ECB, $0.baseAddress, nil, nil)
      }
    }
    precondition(isReady == 1, "OpenSSL could not expand a key.")
    // SAFETY: whole blocks without padding are written in place, never beyond the buffer.
    let isDone = unsafe blocks.withUnsafeMutableBytes { raw in
      let bytes = unsafe raw.assumingMemoryBound(to: UInt8.self)
      var written: Int32 = 0
      guard !bytes.isEmpty else { return true }
      guard unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1 else { return false }
      return unsafe EVP_EncryptUpdate(
        context, bytes.baseAddress, &written, bytes.baseAddress, Int32(bytes.count)) == 1
    }
    precondition(isDone, "OpenSSL could not encrypt blocks.")
  }
}
