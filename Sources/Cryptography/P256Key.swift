import COpenSSL

// SAFETY: a handle is created by one of the functions below, used by one thread, and freed once: by
// the function that created it, or by `deinit`. All buffers have the lengths that are passed.

/// A key pair of the curve P-256 (SEC 2, 2.4.2), for ECDH and for signatures by ES256 (RFC 7518,
/// 3.4). One thread at a time uses it.
@safe package final class P256Key {
  /// The length of a secret number in bytes.
  package static let secretBytes = 32
  /// The length of an uncompressed point in bytes: 4, then both coordinates (SEC 1, 2.3.3).
  package static let pointBytes = 65
  /// The length of a signature in bytes: two numbers of 32 (RFC 7518, 3.4).
  package static let signatureBytes = 64

  /// The public key as an uncompressed point.
  package let point: [UInt8]
  private let handle: OpaquePointer

  /// The pair of a secret number; nil for one that is not from 1 to the order of the curve less 1.
  package init?(secret: SecretBytes) {
    guard secret.count == Self.secretBytes,
      let handle = unsafe Self.privateKey(secret.withBytes { Self.secretPrefix + Array($0) })
    else { return nil }
    guard let point = unsafe Self.point(of: handle) else {
      unsafe EVP_PKEY_free(handle)
      return nil
    }
    unsafe self.handle = handle
    self.point = point
  }

  deinit { unsafe EVP_PKEY_free(handle) }

  /// The secret number of a new pair.
  package static func randomSecret() -> SecretBytes {
    while true {
      let secret = SecretBytes.random(count: secretBytes)
      if P256Key(secret: secret) != nil { return secret }
    }
  }

  /// Whether the bytes are an uncompressed point of the curve.
  package static func isPoint(_ bytes: Span<UInt8>) -> Bool {
    guard let key = unsafe publicKey(bytes) else { return false }
    unsafe EVP_PKEY_free(key)
    return true
  }

  /// The secret shared with the owner of a public key (ECDH); nil if that is not a point of the
  /// curve.
  package func sharedSecret(with point: Span<UInt8>) -> SecretBytes? {
    // SAFETY: the peer and the context are freed here; the output has the length that is passed.
    guard let peer = unsafe Self.publicKey(point) else { return nil }
    defer { unsafe EVP_PKEY_free(peer) }
    guard let context = unsafe EVP_PKEY_CTX_new(handle, nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var output = [UInt8](repeating: 0, count: Self.secretBytes)
    var count = output.count
    let isDone = unsafe output.withUnsafeMutableBufferPointer { buffer in
      unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1
        && EVP_PKEY_derive(context, buffer.baseAddress, &count) == 1
    }
    guard isDone, count == Self.secretBytes else { return nil }
    return SecretBytes(consuming: &output)
  }

  /// The signature of a message with SHA-256: the numbers r and s.
  package func signature(of message: Span<UInt8>) -> [UInt8] {
    // SAFETY: context and decoded signature are created and freed here, and the buffers have the
    // lengths that are passed; an ASN.1 signature of the curve has at most 72 bytes.
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure("OpenSSL could not allocate a hash context.")
    }
    defer { unsafe EVP_MD_CTX_free(context) }
    var encoded = [UInt8](repeating: 0, count: 80)
    var count = encoded.count
    let isSigned = unsafe encoded.withUnsafeMutableBufferPointer { output in
      unsafe message.withUnsafeBufferPointer { input in
        unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1
          && EVP_DigestSign(context, output.baseAddress, &count, input.baseAddress, input.count)
            == 1
      }
    }
    precondition(isSigned, "OpenSSL could not sign.")
    return Self.numbers(in: encoded, count)
  }

  private static func numbers(in encoded: [UInt8], _ count: Int) -> [UInt8] {
    // SAFETY: the pointer stays within the buffer while it is decoded; r and s belong to the
    // signature, which is freed here, and each is written into its half of the output.
    unsafe encoded.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      guard let signature = unsafe d2i_ECDSA_SIG(nil, &start, count) else {
        preconditionFailure("OpenSSL created a malformed signature.")
      }
      defer { unsafe ECDSA_SIG_free(signature) }
      var output = [UInt8](repeating: 0, count: signatureBytes)
      let half = Int32(signatureBytes / 2)
      let isWritten = unsafe output.withUnsafeMutableBufferPointer { output in
        guard let first = output.baseAddress else { return false }
        return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), first, half) == half
          && BN_bn2binpad(ECDSA_SIG_get0_s(signature), first + signatureBytes / 2, half) == half
      }
      precondition(isWritten, "OpenSSL created a signature of another curve.")
      return output
    }
  }

  /// The beginning of a private key in DER (RFC 5915): the sequence, version 1, and the head of the
  /// 32 bytes of the number; the curve follows them.
  private static let secretPrefix: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
  private static let secretSuffix: [UInt8] =
    [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
  /// The beginning of a public key in DER (RFC 5480): the sequence, key and curve, and the head of
  /// the point.
  private static let pointPrefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// A private key, which the caller frees; nil for a number out of range.
  private static func privateKey(_ begun: [UInt8]) -> OpaquePointer? {
    var encoded = begun + secretSuffix
    defer { encoded.wipe() }
    // SAFETY: the pointer stays within the buffer while it is decoded, and the context is freed
    // here; the key is passed to the caller, or freed.
    return unsafe encoded.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      guard let key = unsafe d2i_AutoPrivateKey(nil, &start, buffer.count) else {
        ERR_clear_error()
        return nil
      }
      let context = unsafe EVP_PKEY_CTX_new(key, nil)
      defer { unsafe EVP_PKEY_CTX_free(context) }
      guard unsafe EVP_PKEY_private_check(context) == 1 else {
        ERR_clear_error()
        unsafe EVP_PKEY_free(key)
        return nil
      }
      return unsafe key
    }
  }

  /// A public key, which the caller frees; nil for bytes that are not an uncompressed point.
  private static func publicKey(_ point: Span<UInt8>) -> OpaquePointer? {
    guard point.count == pointBytes, point[0] == 4 else { return nil }
    let encoded = pointPrefix + Array(point)
    // SAFETY: the pointer stays within the buffer while it is decoded. OpenSSL checks that the
    // point is on the curve (EC_POINT_oct2point(3)).
    return unsafe encoded.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      let key = unsafe d2i_PUBKEY(nil, &start, buffer.count)
      if unsafe key == nil { ERR_clear_error() }
      return unsafe key
    }
  }

  private static func point(of key: OpaquePointer) -> [UInt8]? {
    // SAFETY: OpenSSL allocates the bytes, which are copied and freed here.
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = unsafe EVP_PKEY_get1_encoded_public_key(key, &bytes)
    defer { unsafe copenssl_free(bytes) }
    guard count == pointBytes, let bytes = unsafe bytes else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}

extension Array where Element == UInt8 {
  fileprivate init(_ span: Span<UInt8>) { self = span.indices.map { span[$0] } }
}
