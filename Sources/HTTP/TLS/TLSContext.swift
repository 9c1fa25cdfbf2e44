import COpenSSL

/// A protocol that TLS can carry here, chosen by ALPN (RFC 7301).
package enum ApplicationProtocol: String, Hashable, Sendable, CaseIterable {
  case http2 = "h2"
  case http1 = "http/1.1"
}

/// A version of TLS that is spoken here.
package enum TLSVersion: Int32, Comparable, Sendable {
  case tls12 = 0x0303
  case tls13 = 0x0304

  /// Which of two versions is older.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Which certificate authorities a client believes.
package enum TLSTrust: Sendable {
  /// Those of the operating system.
  case system
  /// Only these certificates, in PEM.
  case certificates([UInt8])
}

/// What all TLS sessions of one kind share: certificate, versions, ciphers, application protocols,
/// ticket keys.
///
/// TLS 1.2 and 1.3 only, with forward secrecy and authenticated ciphers only (Mozilla's
/// "intermediate" set without DHE, a superset of what RFC 9113, section 9.2.2 allows); no
/// renegotiation, no compression, no early data. Session tickets are on: OpenSSL draws their keys
/// when the context is made and never changes them: who serves for long gives its listener a new
/// context each day (`CurrentTLSContext`). May be shared by all loops.
// SAFETY: SSL_CTX counts references and locks its caches itself (openssl-threads(7)); nothing
// here changes after the initialiser.
@safe package final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  let isServer: Bool
  private let selection: ProtocolSelection

  deinit {
    // SAFETY: the only owner gives up its reference; sessions hold references of their own.
    unsafe SSL_CTX_free(pointer)
  }

  /// A server's context.
  ///
  /// `protocols` are offered in order of preference: a client that names none of them is refused
  /// with the alert no_application_protocol; one without ALPN is accepted. Errors:
  /// `certificateUnreadable`, `keyUnreadable`, `keyDoesNotMatchCertificate`, `setUpFailed`.
  package init(
    server identity: TLSIdentity, protocols: [ApplicationProtocol] = [.http2, .http1],
    versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
  ) throws(TLSError) {
    isServer = true
    selection = ProtocolSelection(protocols)
    // SAFETY: the context lives until deinit; `selection`, to which it holds a plain pointer,
    // lives as long as this object, and every session retains this object.
    unsafe pointer = try Self.make(TLS_server_method(), versions)
    try unsafe identity.install(in: pointer)
    unsafe SSL_CTX_set_alpn_select_cb(
      pointer, selectProtocol, Unmanaged.passUnretained(selection).toOpaque())
    let name = Array("trackme".utf8)
    let isNamed = unsafe SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
    guard isNamed == 1 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
  }

  /// A client's context, which always verifies the server's certificate and name.
  ///
  /// Errors: `certificateUnreadable` (of `trust`), `setUpFailed`.
  package init(
    clientTrusting trust: TLSTrust, protocols: [ApplicationProtocol] = [.http2, .http1],
    versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
  ) throws(TLSError) {
    isServer = false
    selection = ProtocolSelection(protocols)
    // SAFETY: as in the server's initialiser.
    unsafe pointer = try Self.make(TLS_client_method(), versions)
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    switch trust {
    case .system:
      let isSet = unsafe SSL_CTX_set_default_verify_paths(pointer)
      guard isSet == 1 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    case .certificates(let pem):
      for certificate in try PEM.certificates(pem) {
        // SAFETY: the store takes a reference of its own.
        let store = unsafe SSL_CTX_get_cert_store(pointer)
        _ = unsafe X509_STORE_add_cert(store, certificate.pointer)
      }
    }
    let wire = selection.wireFormat
    let isOffered = unsafe SSL_CTX_set_alpn_protos(pointer, wire, UInt32(wire.count))
    guard isOffered == 0 else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
  }

  private static func make(
    _ method: OpaquePointer?, _ versions: ClosedRange<TLSVersion>
  ) throws(TLSError) -> OpaquePointer {
    OpenSSLErrors.clear()
    // SAFETY: a failed set-up frees what was made; strings are static.
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

/// The protocols a side speaks, in order of preference, where a C callback can find them.
private final class ProtocolSelection: Sendable {
  let names: [[UInt8]]

  init(_ protocols: [ApplicationProtocol]) {
    names = protocols.map { Array($0.rawValue.utf8) }
  }

  /// Length-prefixed names, as ALPN writes them (RFC 7301, section 3.1).
  var wireFormat: [UInt8] { names.flatMap { [UInt8($0.count)] + $0 } }
}

private let selectProtocol:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
    UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
  ) -> Int32 = { _, chosen, chosenCount, offered, offeredCount, argument in
    // SAFETY: OpenSSL passes `offeredCount` bytes at `offered`, whose syntax it has checked and
    // which is checked again; `argument` is the selection that the context keeps alive; the
    // answer may point into `offered`, which OpenSSL copies before it returns to the caller.
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
