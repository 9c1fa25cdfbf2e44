import COpenSSL

/// AES-256-GCM (NIST SP 800-38D), fetched once per process.
private nonisolated(unsafe) let aes256GCM: OpaquePointer = {
  // SAFETY: null selects the default library context and no properties.
  guard let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
    preconditionFailure("OpenSSL does not offer AES-256-GCM.")
  }
  return unsafe algorithm
}()

/// One expanded AES-256-GCM key with 96-bit nonces and 128-bit tags.
///
/// Reusing a nonce under one key reveals both messages: outside this module and its known-answer
/// tests use ``SealingKey``, which generates the nonces.
///
/// One context per direction is created at first use and reused for every message, which saves 0.3
/// µs per message. A context holds the state of a message, so two threads must not use it at once.
@safe package final class AESGCM {
  /// The length of a nonce.
  package static let nonceBytes = 12
  /// The length of a tag.
  package static let tagBytes = 16
  private let key: SecretBytes
  private var sealing: OpaquePointer?
  private var opening: OpaquePointer?

  /// Takes a key of 32 bytes.
  package init(key: SecretBytes) {
    precondition(key.count == 32, "AES-256 has keys of 32 bytes.")
    self.key = key
  }

  deinit {
    // SAFETY: both, where created, belong to this object; null is allowed; freeing overwrites them.
    unsafe EVP_CIPHER_CTX_free(sealing)
    unsafe EVP_CIPHER_CTX_free(opening)
  }

  /// Appends nonce (12 bytes), ciphertext and tag to `output`; the plaintext is at most 1 GiB.
  package func seal(
    _ plaintext: Span<UInt8>, nonce: Span<UInt8>, associated: Span<UInt8>,
    into output: inout [UInt8]
  ) {
    precondition(nonce.count == Self.nonceBytes && plaintext.count <= SealingKey.plaintextBytesMax)
    let context = unsafe sealingContext()
    let total = Self.nonceBytes + plaintext.count + Self.tagBytes
    output.append(addingCapacity: total) { room in
      // SAFETY: the room has `total` bytes: the nonce, as many as the plaintext (GCM has no
      // padding), and the tag; the four lengths passed to OpenSSL are those of their buffers.
      let done = unsafe room.withUnsafeMutableBufferPointer { buffer, initialized in
        guard let start = buffer.baseAddress else { return false }
        for index in nonce.indices { unsafe start[index] = nonce[index] }
        let body = unsafe start + Self.nonceBytes
        let tag = unsafe body + plaintext.count
        initialized = total
        return unsafe EVP_EncryptInit_ex2(context, nil, nil, start, nil) == 1
          && Self.update(EVP_EncryptUpdate, context, nil, associated)
          && Self.update(EVP_EncryptUpdate, context, body, plaintext)
          && Self.finish(EVP_EncryptFinal_ex, context, tag)
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), tag) == 1
      }
      precondition(done, "OpenSSL could not seal.")
    }
  }

  /// Appends the plaintext to `output` if the tag is correct; otherwise leaves `output` unchanged.
  ///
  /// Throws `sealedValueTruncated` below 28 bytes and `sealedValueRefused` for a wrong tag.
  package func open(
    _ sealed: Span<UInt8>, associated: Span<UInt8>, into output: inout [UInt8]
  ) throws(CryptographyError) {
    let count = sealed.count - Self.nonceBytes - Self.tagBytes
    guard count >= 0 else { throw .sealedValueTruncated }
    guard count <= SealingKey.plaintextBytesMax else { throw .sealedValueRefused }
    let context = unsafe openingContext()
    var isGenuine = false
    output.append(addingCapacity: count) { room in
      // SAFETY: the sealed bytes are a nonce, `count` bytes of ciphertext and a tag, the room has
      // `count` bytes (or a null address if `count` is 0); OpenSSL only reads the tag although its
      // parameter is mutable; output for a wrong tag is overwritten and never counts as
      // initialised.
      unsafe room.withUnsafeMutableBufferPointer { buffer, initialized in
        unsafe sealed.withUnsafeBufferPointer { input in
          guard let start = input.baseAddress else { return }
          let tag = unsafe UnsafeMutableRawPointer(mutating: start + Self.nonceBytes + count)
          let body = sealed.extracting(Self.nonceBytes..<Self.nonceBytes + count)
          isGenuine =
            unsafe EVP_DecryptInit_ex2(context, nil, nil, start, nil) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), tag) == 1
            && Self.update(EVP_DecryptUpdate, context, nil, associated)
            && Self.update(EVP_DecryptUpdate, context, buffer.baseAddress, body)
            && Self.finish(EVP_DecryptFinal_ex, context, nil)
          if isGenuine {
            initialized = count
          } else {
            unsafe OPENSSL_cleanse(buffer.baseAddress, count)
          }
        }
      }
    }
    guard isGenuine else {
      ERR_clear_error()
      throw .sealedValueRefused
    }
  }

  private typealias Update = (
    OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?,
    UnsafePointer<UInt8>?, Int32
  ) -> Int32
  private typealias Finish = (
    OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?
  ) -> Int32

  /// Processes a part; without an output it is associated data. An empty part is skipped, because
  /// OpenSSL would treat it as associated data.
  @inline(__always) private static func update(
    _ function: Update, _ context: OpaquePointer, _ output: UnsafeMutablePointer<UInt8>?,
    _ input: Span<UInt8>
  ) -> Bool {
    guard !input.isEmpty else { return true }
    var written: Int32 = 0
    // SAFETY: reads the span's bytes and writes as many, or none without an output.
    return unsafe input.withUnsafeBufferPointer {
      unsafe function(context, output, &written, $0.baseAddress, Int32($0.count)) == 1
    }
  }

  /// Ends a message. GCM writes nothing here, but the function requires an address.
  @inline(__always) private static func finish(
    _ function: Finish, _ context: OpaquePointer, _ output: UnsafeMutablePointer<UInt8>?
  ) -> Bool {
    var written: Int32 = 0
    var unused: UInt8 = 0
    // SAFETY: no byte is written, because GCM is a stream mode.
    return unsafe withUnsafeMutablePointer(to: &unused) {
      unsafe function(context, output ?? $0, &written) == 1
    }
  }

  private func sealingContext() -> OpaquePointer {
    // SAFETY: created once, freed only with this object, and used by one thread at a time.
    if let context = unsafe sealing { return unsafe context }
    let context = unsafe makeContext(EVP_EncryptInit_ex2)
    unsafe sealing = context
    return unsafe context
  }

  private func openingContext() -> OpaquePointer {
    // SAFETY: as above.
    if let context = unsafe opening { return unsafe context }
    let context = unsafe makeContext(EVP_DecryptInit_ex2)
    unsafe opening = context
    return unsafe context
  }

  private typealias Start = (
    OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?,
    UnsafePointer<OSSL_PARAM>?
  ) -> Int32

  private func makeContext(_ start: Start) -> OpaquePointer {
    // SAFETY: the new context is passed to the caller, which keeps it until deinit; the key has 32
    // bytes.
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      preconditionFailure("OpenSSL could not allocate a cipher context.")
    }
    let done = key.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer {
        unsafe start(context, aes256GCM, $0.baseAddress, nil, nil)
      }
    }
    precondition(done == 1, "OpenSSL could not expand a key.")
    return unsafe context
  }
}
