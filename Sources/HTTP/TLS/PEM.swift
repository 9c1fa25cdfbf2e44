import COpenSSL

/// An OpenSSL certificate; owns one reference.
@safe final class Certificate {
  let pointer: OpaquePointer

  /// Takes ownership of the caller's reference.
  init(owning pointer: OpaquePointer) {
    // SAFETY: the caller guarantees that the reference is valid.
    unsafe self.pointer = pointer
  }

  deinit {
    // SAFETY: releases the reference owned since the initialiser.
    unsafe X509_free(pointer)
  }
}

/// An OpenSSL private key; owns one reference.
@safe final class PrivateKey {
  let pointer: OpaquePointer

  /// Takes ownership of the caller's reference.
  init(owning pointer: OpaquePointer) {
    // SAFETY: the caller guarantees that the reference is valid.
    unsafe self.pointer = pointer
  }

  deinit {
    // SAFETY: releases the reference owned since the initialiser; OpenSSL wipes the key.
    unsafe EVP_PKEY_free(pointer)
  }
}

/// Reads and writes the text form of certificates and keys (RFC 7468).
enum PEM {
  /// Maximum size of PEM input, in bytes: enough for a chain of a hundred certificates.
  static let bytesMax = 1 << 20

  /// Reads all certificates of a text; at least one is required.
  static func certificates(_ text: [UInt8]) throws(TLSError) -> [Certificate] {
    OpenSSLErrors.clear()
    // SAFETY: the BIO is valid during the call.
    let read = unsafe reading(text) { bio in unsafe certificates(in: bio) }
    guard let found = read else {
      throw .certificateUnreadable(reason: "it is larger than \(bytesMax) bytes")
    }
    // Reading stops at the end of the text with "no start line"; any other reason is an error.
    let stop = OpenSSLErrors.take()
    guard !found.isEmpty, stop == nil || stop?.number == PEM_R_NO_START_LINE else {
      throw .certificateUnreadable(reason: stop?.reason ?? "it holds no certificate")
    }
    return found
  }

  /// Reads the private key of a text; an encrypted key is refused.
  static func privateKey(_ text: [UInt8]) throws(TLSError) -> PrivateKey {
    OpenSSLErrors.clear()
    let refusePassword:
      @convention(c) (
        UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
      ) -> Int32 = { _, _, _, _ in -1 }
    // SAFETY: the BIO is valid during the call; the returned object owns the key.
    let key = unsafe reading(text) { bio in
      unsafe PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil).map {
        unsafe PrivateKey(owning: $0)
      }
    }
    guard let key, let key else { throw .keyUnreadable(reason: OpenSSLErrors.takeReason()) }
    return key
  }

  /// The text of a certificate.
  static func text(_ certificate: Certificate) throws(TLSError) -> [UInt8] {
    // SAFETY: BIO and certificate are valid during the call.
    try unsafe writing { bio in unsafe PEM_write_bio_X509(bio, certificate.pointer) }
  }

  /// The text of a private key, PKCS #8, not encrypted.
  static func text(_ key: PrivateKey) throws(TLSError) -> [UInt8] {
    // SAFETY: BIO and key are valid during the call.
    try unsafe writing { bio in
      unsafe PEM_write_bio_PKCS8PrivateKey(bio, key.pointer, nil, nil, 0, nil, nil)
    }
  }

  private static func certificates(in bio: OpaquePointer) -> [Certificate] {
    var found: [Certificate] = []
    // SAFETY: the BIO is valid during the call; each object owns its certificate.
    while let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
      unsafe found.append(Certificate(owning: certificate))
    }
    return found
  }

  private static func reading<Result>(
    _ text: [UInt8], _ work: (OpaquePointer) -> Result
  ) -> Result? {
    guard text.count <= bytesMax else { return nil }
    // SAFETY: the BIO reads the array's bytes in place and is freed before them.
    return unsafe text.withUnsafeBytes { bytes in
      guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
        return nil
      }
      defer { unsafe BIO_free(bio) }
      return unsafe work(bio)
    }
  }

  private static func writing(_ work: (OpaquePointer) -> Int32) throws(TLSError) -> [UInt8] {
    // SAFETY: the memory BIO is freed at the end, and reads stay within its contents.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    defer { unsafe BIO_free(bio) }
    guard unsafe work(bio) == 1 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    let size = unsafe BIO_ctrl_pending(bio)
    var text = [UInt8](repeating: 0, count: size)
    let count = unsafe BIO_read(bio, &text, Int32(size))
    guard count == size else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    return text
  }
}
