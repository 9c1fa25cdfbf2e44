import COpenSSL

/// The content coding `aes128gcm` (RFC 8188) with one record.
package enum EncryptedContent {
  /// The length of a salt in bytes.
  package static let saltBytes = 16
  /// The record size that the head states, in bytes.
  package static let recordBytes = 4096
  /// The longest content of one record: without the mark of the last record and the tag.
  package static let contentBytesMax = recordBytes - 1 - tagBytes
  private static let tagBytes = 16
  private static let keyBytes = 16
  private static let nonceBytes = 12

  /// The head and the encrypted record of a content, followed by the mark of the last record and
  /// zeros up to `paddedBytes`. The key derives from `material` and the salt, which must be new for
  /// each content; `keyIdentifier` is part of the head.
  package static func encrypted(
    _ content: Span<UInt8>, material: SecretBytes, salt: Span<UInt8>, keyIdentifier: Span<UInt8>,
    paddedBytes: Int = 0
  ) -> [UInt8] {
    precondition(salt.count == saltBytes && keyIdentifier.count <= 255)
    let count = max(content.count, paddedBytes)
    precondition(count <= contentBytesMax, "A record has at most 4079 bytes of content.")
    let uniform = material.withBytes { HKDF.extract(salt: salt, material: $0) }
    let key = HKDF.expand(
      uniform, info: "Content-Encoding: aes128gcm\0".utf8.span, count: keyBytes)
    let nonce = HKDF.expand(
      uniform, info: "Content-Encoding: nonce\0".utf8.span, count: nonceBytes)
    var output: [UInt8] = []
    output.reserveCapacity(saltBytes + 5 + keyIdentifier.count + count + 1 + tagBytes)
    for index in salt.indices { output.append(salt[index]) }
    for shift in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: recordBytes >> shift)) }
    output.append(UInt8(keyIdentifier.count))
    for index in keyIdentifier.indices { output.append(keyIdentifier[index]) }
    var record = content.indices.map { content[$0] }
    record.append(2)
    record += [UInt8](repeating: 0, count: count - content.count)
    appendSealed(record, under: key, nonce, to: &output)
    return output
  }

  /// Appends ciphertext and tag.
  private static func appendSealed(
    _ record: [UInt8], under key: SecretBytes, _ nonce: SecretBytes, to output: inout [UInt8]
  ) {
    // SAFETY: the algorithm and the context are created and freed here; key and nonce have the
    // lengths of AES-128-GCM, the ciphertext is as long as the record, and the tag has 16 bytes.
    let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
    let context = unsafe EVP_CIPHER_CTX_new()
    defer {
      unsafe EVP_CIPHER_CTX_free(context)
      unsafe EVP_CIPHER_free(algorithm)
    }
    var sealed = [UInt8](repeating: 0, count: record.count + tagBytes)
    var written: Int32 = 0
    let isDone = unsafe sealed.withUnsafeMutableBufferPointer { sealed in
      guard let start = sealed.baseAddress else { return false }
      let tag = unsafe start + record.count
      let isStarted = key.withBytes { key in
        nonce.withBytes { nonce in
          unsafe key.withUnsafeBufferPointer { key in
            unsafe nonce.withUnsafeBufferPointer { nonce in
              unsafe EVP_EncryptInit_ex2(
                context, algorithm, key.baseAddress, nonce.baseAddress, nil) == 1
            }
          }
        }
      }
      return unsafe isStarted
        && EVP_EncryptUpdate(context, start, &written, record, Int32(record.count)) == 1
        && EVP_EncryptFinal_ex(context, tag, &written) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), tag) == 1
    }
    precondition(isDone, "OpenSSL could not encrypt a push message.")
    output += sealed
  }
}
