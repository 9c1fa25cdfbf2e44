import COpenSSL

/// An application protocol supported over TLS, negotiated by ALPN (RFC 7301).
package enum ApplicationProtocol: String, Hashable, Sendable, CaseIterable {
  case http2 = "h2"
  case http1 = "http/1.1"
}

/// A supported version of TLS.
package enum TLSVersion: Int32, Comparable, Sendable {
  case tls12 = 0x0303
  case tls13 = 0x0304

  /// Whether `left` is older than `right`.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The certificate authorities that a client trusts.
package enum TLSTrust: Sendable {
  /// Those of the operating system.
  case system
  /// Only these certificates, in PEM.
  case certificates([UInt8])
}

/// The configuration shared by TLS sessions: certificate, versions, ciphers, application protocols,
/// ticket keys.
///
/// Only TLS 1.2 and 1.3, with forward secrecy and authenticated ciphers (Mozilla's "intermediate"
/// set without DHE, a superset of what RFC 9113, section 9.2.2 allows); no renegotiation, no
/// compression, no early data. Session tickets are enabled. OpenSSL generates their keys with the
/// context and never rotates them, so a long-running server must replace its context every day
/// (`CurrentTLSContext`). All loops may share a context.
// SAFETY: SSL_CTX has atomic reference counts and locks its caches (openssl-threads(7)); this
// object does not change after the initialiser.
@safe package final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  let isServer: Bool
  /// Receives the error of each session that fails, on the session's thread.
  let onFailure: (@Sendable (TLSError) -> Void)?
  private let selection: ProtocolSelection

  deinit {
    // SAFETY: the only owner releases its reference; sessions hold their own references.
    unsafe SSL_CTX_free(pointer)
  }

  /// Creates a context for a server.
  ///
  /// `protocols` are offered in order of preference: a client that offers none of them is refused
  /// with the alert no_application_protocol; a client without ALPN is accepted. Errors:
  /// `certificateUnreadable`, `keyUnreadable`, `keyDoesNotMatchCertificate`, `setUpFailed`.
  package init(
    server identity: TLSIdentity, protocols: [ApplicationProtocol] = [.http2, .http1],
    versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
    onFailure: (@Sendable (TLSError) -> Void)? = nil
  ) throws(TLSError) {
    isServer = true
    self.onFailure = onFailure
    selection = ProtocolSelection(protocols)
    // SAFETY: the context lives until deinit. It has an unretained pointer to `selection`, which
    // lives as long as this object, and every session retains this object.
    unsafe pointer = try Self.make(TLS_server_method(), versions)
    try unsafe identity.install(in: pointer)
    unsafe copenssl_context_send_only_given_chain(pointer)
    unsafe SSL_CTX_set_alpn_select_cb(
      pointer, selectProtocol, Unmanaged.passUnretained(selection).toOpaque())
    let name = Array("trackme".utf8)
    let isNamed = unsafe SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
    guard isNamed == 1 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
  }

  /// Creates a context for a client, which always verifies the server's certificate and name.
  ///
  /// Errors: `certificateUnreadable` (of `trust`), `setUpFailed`.
  package init(
    clientTrusting trust: TLSTrust, protocols: [ApplicationProtocol] = [.http2, .http1],
    versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
    onFailure: (@Sendable (TLSError) -> Void)? = nil
  ) throws(TLSError) {
    isServer = false
    self.onFailure = onFailure
    selection = ProtocolSelection(protocols)
    // SAFETY: see the server's initialiser.
    unsafe pointer = try Self.make(TLS_client_method(), versions)
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    switch trust {
    case .system:
      let isSet = unsafe SSL_CTX_set_default_verify_paths(pointer)
      guard isSet == 1 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    case .certificates(let pem): try self.trust(pem)
    }
    let wire = selection.wireFormat
    let isOffered = unsafe SSL_CTX_set_alpn_protos(pointer, wire, UInt32(wire.count))
    guard isOffered == 0 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
  }

  /// Trusts the certificates of a text in PEM. Errors: `certificateUnreadable`.
  func trust(_ authorities: [UInt8]) throws(TLSError) {
    for certificate in try PEM.certificates(authorities) {
      // SAFETY: the store takes its own reference; no session uses the context yet.
      let store = unsafe SSL_CTX_get_cert_store(pointer)
      _ = unsafe X509_STORE_add_cert(store, certificate.pointer)
    }
  }

  private static func make(
    _ method: OpaquePointer?, _ versions: ClosedRange<TLSVersion>
  ) throws(TLSError) -> OpaquePointer {
    OpenSSLErrors.clear()
    // SAFETY: a failed set-up frees the context; strings are static.
    guard let context = unsafe SSL_CTX_new(method) else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    unsafe copenssl_context_harden(context)
    let isSet =
      unsafe copenssl_context_set_versions(
        context, versions.lowerBound.rawValue, versions.upperBound.rawValue) == 1
      && SSL_CTX_set_cipher_list(context, "ECDHE+AES128+AESGCM:ECDHE+AESGCM:ECDHE+CHACHA20") == 1
      && SSL_CTX_set_ciphersuites(
        context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        == 1
      && copenssl_context_set_groups(context, "X25519:P-256:P-384") == 1
    guard isSet else {
      unsafe SSL_CTX_free(context)
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    return unsafe context
  }
}

/// The protocols of one side in order of preference, as an object for a C callback.
private final class ProtocolSelection: Sendable {
  let names: [[UInt8]]

  init(_ protocols: [ApplicationProtocol]) {
    names = protocols.map { Array($0.rawValue.utf8) }
  }

  /// Length-prefixed names, the wire format of ALPN (RFC 7301, section 3.1).
  var wireFormat: [UInt8] { names.flatMap { [UInt8($0.count)] + $0 } }
}

private let selectProtocol:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
    UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
  ) -> Int32 = { _, chosen, chosenCount, offered, offeredCount, argument in
    // SAFETY: OpenSSL passes `offeredCount` bytes at `offered`, whose syntax is checked by OpenSSL
    // and again here; `argument` is the selection that the context keeps alive; the result may
    // point into `offered`, because OpenSSL copies it before returning to the caller.
    guard let argument = unsafe argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let selection = unsafe Unmanaged<ProtocolSelection>.fromOpaque(argument).takeUnretainedValue()
    let bytes = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    for name in selection.names {
      // SAFETY: the buffer checks every index; `chosen` stays inside `offered`.
      var start = 0
      while start < bytes.count {
        let end = unsafe start + 1 + Int(bytes[start])
        guard end <= bytes.count else { break }
        if unsafe bytes[(start + 1)..<end].elementsEqual(name) {
          unsafe chosen?.pointee = offered?.advanced(by: start + 1)
          unsafe chosenCount?.pointee = UInt8(name.count)
          return SSL_TLSEXT_ERR_OK
        }
        start = end
      }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
  }
