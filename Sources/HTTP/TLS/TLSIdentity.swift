import COpenSSL

/// The identity of a server: a certificate chain, leaf first, and the private key, both PEM.
package struct TLSIdentity: Sendable, CustomStringConvertible {
  /// The chain, leaf first; the root may be omitted.
  package var certificateChain: [UInt8]
  /// The private key, not encrypted.
  package var privateKey: [UInt8]

  /// An identity from the contents of two PEM files; they are parsed when a context is created.
  package init(certificateChain: [UInt8], privateKey: [UInt8]) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }

  /// Describes the chain only, never the key.
  package var description: String { "TLSIdentity(\(certificateChain.count) bytes of chain)" }

  /// Installs chain and key in a context.
  func install(in context: OpaquePointer) throws(TLSError) {
    let chain = try PEM.certificates(certificateChain)
    let key = try PEM.privateKey(privateKey)
    // SAFETY: the context takes its own references to leaf and key; the reference to a chain
    // certificate is created for it, and released if it is refused.
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
