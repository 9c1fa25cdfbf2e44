import COpenSSL

/// The peers that a server accepts: those with a certificate that one of the authorities signed for
/// one of the names.
package struct TLSPeers: Sendable {
  /// Certificates of the authorities, in PEM; during a rotation two.
  package let authorities: [UInt8]
  /// DNS names. The peer's certificate must have one of them.
  package let names: [String]

  /// The peers with a certificate for one of `names`, which is not empty.
  package init(signedBy authorities: [UInt8], named names: [String]) {
    self.authorities = authorities
    self.names = names
  }
}

/// Mutual TLS between processes of one installation. TLS 1.3 only, and no session is resumed, so
/// that each connection verifies both certificates.
extension TLSContext {
  /// Creates a context for a server that accepts only these peers.
  ///
  /// A peer without a certificate, or with one of another authority, of another name, for servers
  /// only, or out of date, is refused during the handshake. Errors: those of the server's
  /// initialiser; `certificateUnreadable` (also of the authorities), `setUpFailed` without names.
  package convenience init(
    server identity: TLSIdentity, acceptingOnly peers: TLSPeers,
    onFailure: (@Sendable (TLSError) -> Void)? = nil
  ) throws(TLSError) {
    try self.init(server: identity, versions: .tls13 ... .tls13, onFailure: onFailure)
    try trust(peers.authorities)
    // SAFETY: the parameters belong to the context; the names are copied.
    let parameters = unsafe SSL_CTX_get0_param(pointer)
    unsafe X509_VERIFY_PARAM_set_hostflags(
      parameters, UInt32(X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
    let areSet = peers.names.allSatisfy { name in
      unsafe X509_VERIFY_PARAM_add1_host(parameters, name, 0) == 1
    }
    guard areSet, !peers.names.isEmpty else {
      throw .setUpFailed(reason: "a server needs the names of the peers it accepts")
    }
    unsafe SSL_CTX_set_verify(
      pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    unsafe copenssl_context_forbid_resumption(pointer)
  }

  /// Creates a context for a client with a certificate of its own, which trusts only these
  /// authorities.
  ///
  /// Errors: `certificateUnreadable`, `keyUnreadable`, `keyDoesNotMatchCertificate`,
  /// `setUpFailed`.
  package convenience init(
    client identity: TLSIdentity, trusting authorities: [UInt8],
    onFailure: (@Sendable (TLSError) -> Void)? = nil
  ) throws(TLSError) {
    try self.init(
      clientTrusting: .certificates(authorities), protocols: [.http2],
      versions: .tls13 ... .tls13, onFailure: onFailure)
    // SAFETY: no session uses the context yet.
    try unsafe identity.install(in: pointer)
    unsafe copenssl_context_forbid_resumption(pointer)
  }
}
