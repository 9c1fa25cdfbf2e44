import COpenSSL

/// One side of a TLS connection as a state machine without I/O: converts ciphertext to plaintext
/// and back.
///
/// The owner reads the socket and calls `receive`. After every call it sends the result of
/// `pullOutput`: handshake messages, alerts, tickets and records. After an error it also sends this
/// output, so that the peer receives the alert, and then closes. Belongs to one thread at a time.
@safe package final class TLSSession {
  /// Limit on plaintext buffered until the end of the handshake, in bytes.
  package static let earlyPlaintextBytesMax = 256 * 1024

  private let context: TLSContext
  private let transport = TLSTransport()
  private let session: OpaquePointer
  private var earlyPlaintext: [UInt8] = []
  private var failure: TLSError?
  private var hasSentClose = false

  /// Whether application data can be sent and received.
  package private(set) var isHandshakeComplete = false
  /// The protocol negotiated by ALPN; nil before the end of the handshake or if the peer does not
  /// use ALPN.
  package private(set) var applicationProtocol: ApplicationProtocol?
  /// Whether the peer has sent close_notify.
  package private(set) var isPeerClosed = false

  /// Creates a session for a client or server, as the context is; a client's first message is in
  /// the output.
  ///
  /// `serverName` is the host name or address that a client requests and verifies; a server ignores
  /// it. Errors: `setUpFailed`, also for a client without a name.
  package init(context: TLSContext, serverName: String? = nil) throws(TLSError) {
    self.context = context
    OpenSSLErrors.clear()
    // SAFETY: the session is freed in deinit, before the transport that its BIO points to.
    guard let session = unsafe SSL_new(context.pointer) else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    unsafe self.session = session
    guard let bio = unsafe transport.makeBIO() else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    // SAFETY: SSL_set_bio takes ownership of the only reference.
    unsafe SSL_set_bio(session, bio, bio)
    if context.isServer {
      unsafe SSL_set_accept_state(session)
    } else {
      guard let serverName, expect(serverName) else {
        throw .setUpFailed(reason: "a client needs the name of the server it expects")
      }
      unsafe SSL_set_connect_state(session)
      try handshake()
    }
  }

  deinit {
    // SAFETY: frees session and BIO, which hold the only pointers to the transport.
    unsafe SSL_free(session)
  }

  /// The negotiated version; nil before the end of the handshake.
  package var version: TLSVersion? {
    // SAFETY: the session is valid until deinit.
    isHandshakeComplete ? unsafe TLSVersion(rawValue: SSL_version(session)) : nil
  }

  /// Whether `pullOutput` would return bytes.
  package var hasOutput: Bool { !transport.output.isEmpty }

  /// Processes all bytes from the peer and appends the plaintext of the records they complete,
  /// which is never longer than the bytes.
  ///
  /// Errors: `noApplicationProtocol`, `unsupportedVersion`, `certificateRejected`,
  /// `alertReceived`, `protocolViolation`; `closed` after any of them. Bytes after the peer's
  /// close_notify are ignored.
  package func receive(
    _ ciphertext: Span<UInt8>, appendingTo plaintext: inout [UInt8]
  ) throws(TLSError) {
    guard failure == nil else { throw .closed }
    if isPeerClosed { return }
    try transport.reading(ciphertext) { () throws(TLSError) in
      if !isHandshakeComplete {
        try handshake()
        guard isHandshakeComplete else { return }
      }
      while try readRecord(appendingTo: &plaintext), mayHaveRecord {}
    }
  }

  /// The peer's bytes have ended. Errors: `truncated` without an earlier close_notify.
  package func receiveEnd() throws(TLSError) {
    guard failure == nil else { throw .closed }
    guard isPeerClosed else {
      failure = .truncated
      throw .truncated
    }
  }

  /// Encrypts bytes for the peer into records of at most 16 KiB; collect the output of one turn and
  /// call this once. Before the end of the handshake the bytes are buffered.
  ///
  /// Errors: `closed` after `close` or a failure, or if more than `earlyPlaintextBytesMax` bytes
  /// would be buffered.
  package func send(_ plaintext: Span<UInt8>) throws(TLSError) {
    guard failure == nil, !hasSentClose else { throw .closed }
    guard isHandshakeComplete else {
      guard earlyPlaintext.count + plaintext.count <= Self.earlyPlaintextBytesMax else {
        throw .closed
      }
      // SAFETY: the bytes are copied during the call.
      unsafe plaintext.withUnsafeBufferPointer { unsafe earlyPlaintext.append(contentsOf: $0) }
      return
    }
    try encrypt(plaintext)
  }

  /// Sends close_notify: no more data follows, but data from the peer can still be received. Safe
  /// to repeat, and to call after a failure or before the end of the handshake.
  package func close() {
    guard failure == nil, isHandshakeComplete, !hasSentClose else { return }
    hasSentClose = true
    OpenSSLErrors.clear()
    // SAFETY: the session is valid; 0 means that the peer's close_notify is still missing.
    _ = unsafe SSL_shutdown(session)
    OpenSSLErrors.clear()
  }

  /// Moves all bytes for the peer to the end of `output`, without a copy if `output` is empty.
  package func pullOutput(into output: inout [UInt8]) {
    if output.isEmpty {
      swap(&output, &transport.output)
    } else {
      output.append(contentsOf: transport.output)
      transport.output.removeAll(keepingCapacity: true)
    }
  }

  /// Sets the server's name for SNI and for the verification.
  private func expect(_ serverName: String) -> Bool {
    // SAFETY: the parameters belong to the session; the strings are copied.
    let parameters = unsafe SSL_get0_param(session)
    if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1 { return true }
    OpenSSLErrors.clear()
    return unsafe SSL_set1_host(session, serverName) == 1
      && copenssl_session_set_server_name(session, serverName) == 1
  }

  private func handshake() throws(TLSError) {
    OpenSSLErrors.clear()
    // SAFETY: the session is valid until deinit.
    let result = unsafe SSL_do_handshake(session)
    guard result == 1 else { return try failUnlessWaiting(result) }
    isHandshakeComplete = true
    applicationProtocol = negotiatedProtocol()
    if !earlyPlaintext.isEmpty {
      let waiting = earlyPlaintext
      earlyPlaintext = []
      try encrypt(waiting.span)
    }
  }

  private func negotiatedProtocol() -> ApplicationProtocol? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    // SAFETY: OpenSSL returns `count` bytes that live as long as the session.
    unsafe SSL_get0_alpn_selected(session, &name, &count)
    let text = unsafe UnsafeBufferPointer(start: name, count: Int(count))
    return ApplicationProtocol.allCases.first { unsafe text.elementsEqual($0.rawValue.utf8) }
  }

  /// Whether a record may be left. Without this check, a call of OpenSSL that fails would end each
  /// `receive`.
  private var mayHaveRecord: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe transport.hasInput || SSL_has_pending(session) == 1
  }

  /// Decrypts one record; returns false if none is complete.
  private func readRecord(appendingTo plaintext: inout [UInt8]) throws(TLSError) -> Bool {
    OpenSSLErrors.clear()
    var result: Int32 = 0
    plaintext.append(addingCapacity: Int(SSL3_RT_MAX_PLAIN_LENGTH)) { room in
      // SAFETY: at most the buffer's capacity is written, and exactly `count` bytes are marked as
      // initialised.
      unsafe room.withUnsafeMutableBufferPointer { buffer, initialized in
        var count = 0
        let start = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
        result = unsafe SSL_read_ex(session, start, buffer.count - initialized, &count)
        initialized += result == 1 ? count : 0
      }
    }
    if result == 1 { return true }
    // SAFETY: the session is valid; the queue was cleared before the call whose result is checked.
    if unsafe SSL_get_error(session, result) == SSL_ERROR_ZERO_RETURN {
      isPeerClosed = true
      return false
    }
    try failUnlessWaiting(result)
    return false
  }

  private func encrypt(_ plaintext: Span<UInt8>) throws(TLSError) {
    guard !plaintext.isEmpty else { return }
    OpenSSLErrors.clear()
    var written = 0
    // SAFETY: OpenSSL reads the span's bytes during the call; the transport accepts all its output.
    let result = unsafe plaintext.withUnsafeBytes { bytes in
      unsafe SSL_write_ex(session, bytes.baseAddress, bytes.count, &written)
    }
    guard result == 1, written == plaintext.count else {
      try failUnlessWaiting(result)
      failure = .closed
      throw .closed
    }
  }

  /// Returns if OpenSSL only needs more bytes; otherwise marks the session as failed and throws.
  private func failUnlessWaiting(_ result: Int32) throws(TLSError) {
    // SAFETY: the session is valid; the queue was cleared before the call whose result is checked.
    let kind = unsafe SSL_get_error(session, result)
    if kind == SSL_ERROR_WANT_READ { return }
    let error = OpenSSLErrors.take()
    let reason: TLSError
    if error?.number == SSL_R_CERTIFICATE_VERIFY_FAILED {
      reason = .certificateRejected(reason: verificationResult())
    } else {
      reason = error?.sessionError ?? .protocolViolation(reason: "the session cannot continue")
    }
    failure = reason
    earlyPlaintext = []
    context.onFailure?(reason)
    throw reason
  }

  private func verificationResult() -> String {
    // SAFETY: the result is a static, NUL-terminated string.
    unsafe String(cString: X509_verify_cert_error_string(SSL_get_verify_result(session)))
  }
}
