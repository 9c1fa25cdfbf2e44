import COpenSSL

/// Who a server is: a certificate chain, its own certificate first, and the private key, both PEM.
package struct TLSIdentity: Sendable, CustomStringConvertible {
  /// The chain, leaf first; the root may be left out.
  package var certificateChain: [UInt8]
  /// The private key, not encrypted.
  package var privateKey: [UInt8]

  /// An identity from the contents of two PEM files; they are read when a context is made.
  package init(certificateChain: [UInt8], privateKey: [UInt8]) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }

  /// Says nothing of the key.
  package var description: String { "TLSIdentity(\(certificateChain.count) bytes of chain)" }

  /// Gives chain and key to a context.
  func install(in context: OpaquePointer) throws(TLSError) {
    let chain = try PEM.certificates(certificateChain)
    let key = try PEM.privateKey(privateKey)
    // SAFETY: the context takes references of its own to leaf and key; a chain certificate's
    // reference is made for it, and dropped again if it is refused.
    for (position, certificate) in chain.enumerated() {
      if position == 0 {
        guard unsafe SSL_CTX_use_certificate(context, certificate.pointer) == 1 else {
          throw .certificateUnreadable(reason: OpenSSLErrors.takeReason())
        }
        continue
      }
      unsafe X509_up_ref(certificate.pointer)
      guard unsafe copenssl_context_add_chain_certificate(context, certificate.pointer) == 1 else {
        unsafe X509_free(certificate.pointer)
        throw .certificateUnreadable(reason: OpenSSLErrors.takeReason())
      }
    }
    OpenSSLErrors.clear()
    guard unsafe SSL_CTX_use_PrivateKey(context, key.pointer) == 1,
      unsafe SSL_CTX_check_private_key(context) == 1
    else {
      OpenSSLErrors.clear()
      throw .keyDoesNotMatchCertificate
    }
  }
}
