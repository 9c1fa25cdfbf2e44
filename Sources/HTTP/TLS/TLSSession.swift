import COpenSSL

/// One side of a TLS connection as a machine without input and output: ciphertext in, plaintext
/// out, and the other way round.
///
/// The owner reads the socket and calls `receive`, and after every call sends what `pullOutput`
/// gives (handshake messages, alerts, tickets and records are all there), also after an error,
/// so that the peer gets its alert; then it closes. Belongs to one thread at a time.
@safe package final class TLSSession {
  /// The most plaintext that waits for the end of the handshake.
  package static let earlyPlaintextBytesMax = 256 * 1024

  private let context: TLSContext
  private let transport = TLSTransport()
  private let session: OpaquePointer
  private var earlyPlaintext: [UInt8] = []
  private var failure: TLSError?
  private var hasSentClose = false

  /// Whether application data can flow.
  package private(set) var isHandshakeComplete = false
  /// What ALPN settled; nil before the end of the handshake or if the peer does not use ALPN.
  package private(set) var applicationProtocol: ApplicationProtocol?
  /// Whether the peer has said that it sends nothing more.
  package private(set) var isPeerClosed = false

  /// A session of the context's kind; a client's first message is in the output at once.
  ///
  /// `serverName` is the host name or address a client asks for and verifies; a server ignores
  /// it. Errors: `setUpFailed`, also for a client without a name.
  package init(context: TLSContext, serverName: String? = nil) throws(TLSError) {
    self.context = context
    OpenSSLErrors.clear()
    // SAFETY: the session is freed in deinit, before the transport its BIO points to.
    guard let session = unsafe SSL_new(context.pointer) else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    unsafe self.session = session
    guard let bio = unsafe transport.makeBIO() else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    // SAFETY: SSL_set_bio takes over the one reference.
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
    // SAFETY: frees session and BIO, the only ones that point to the transport.
    unsafe SSL_free(session)
  }

  /// The version settled, nil before the end of the handshake.
  package var version: TLSVersion? {
    // SAFETY: the session is valid until deinit.
    isHandshakeComplete ? unsafe TLSVersion(rawValue: SSL_version(session)) : nil
  }

  /// Whether the handshake resumed an earlier session by its ticket.
  package var isResumed: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe SSL_session_reused(session) == 1
  }

  /// Whether `pullOutput` has something to send.
  package var hasOutput: Bool { !transport.output.isEmpty }

  /// Takes bytes from the peer and appends the plaintext they complete, never more than they
  /// hold; no byte is left behind.
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
      while try readRecord(appendingTo: &plaintext) {}
    }
  }

  /// The peer's bytes have ended; `truncated` if it had not said so by a close_notify.
  package func receiveEnd() throws(TLSError) {
    guard failure == nil else { throw .closed }
    guard isPeerClosed else {
      failure = .truncated
      throw .truncated
    }
  }

  /// Encrypts bytes for the peer into records of 16 KiB: gather what one turn has to say and call
  /// this once. Before the end of the handshake they wait.
  ///
  /// Errors: `closed` after `close`, a failure, or more than `earlyPlaintextBytesMax` waiting.
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

  /// Says that nothing more will be sent (close_notify); what the peer sends may still be
  /// received. Harmless when repeated, after a failure and before the end of the handshake.
  package func close() {
    guard failure == nil, isHandshakeComplete, !hasSentClose else { return }
    hasSentClose = true
    OpenSSLErrors.clear()
    // SAFETY: the session is valid; 0 means that the peer's notice is still to come.
    _ = unsafe SSL_shutdown(session)
    OpenSSLErrors.clear()
  }

  /// Moves all bytes for the peer to the end of `output`; without a copy if it is empty.
  package func pullOutput(into output: inout [UInt8]) {
    if output.isEmpty {
      swap(&output, &transport.output)
    } else {
      output.append(contentsOf: transport.output)
      transport.output.removeAll(keepingCapacity: true)
    }
  }

  /// Names the server to the server and to the verification.
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
    // SAFETY: OpenSSL gives `count` bytes that live as long as the session.
    unsafe SSL_get0_alpn_selected(session, &name, &count)
    let text = unsafe UnsafeBufferPointer(start: name, count: Int(count))
    return ApplicationProtocol.allCases.first { unsafe text.elementsEqual($0.rawValue.utf8) }
  }

  /// Decrypts one record; false if no whole one is there.
  private func readRecord(appendingTo plaintext: inout [UInt8]) throws(TLSError) -> Bool {
    OpenSSLErrors.clear()
    var result: Int32 = 0
    plaintext.append(addingCapacity: Int(SSL3_RT_MAX_PLAIN_LENGTH)) { room in
      // SAFETY: at most the room's count is written, and exactly `count` bytes are claimed.
      unsafe room.withUnsafeMutableBufferPointer { buffer, initialized in
        var count = 0
        let start = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
        result = unsafe SSL_read_ex(session, start, buffer.count - initialized, &count)
        initialized += result == 1 ? count : 0
      }
    }
    if result == 1 { return true }
    // SAFETY: the session is valid; the queue was cleared before the call it is asked about.
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
    // SAFETY: OpenSSL reads the span's bytes during the call; the transport takes all it writes.
    let result = unsafe plaintext.withUnsafeBytes { bytes in
      unsafe SSL_write_ex(session, bytes.baseAddress, bytes.count, &written)
    }
    guard result == 1, written == plaintext.count else {
      try failUnlessWaiting(result)
      failure = .closed
      throw .closed
    }
  }

  /// Nothing if OpenSSL only wants more bytes; else the session has failed.
  private func failUnlessWaiting(_ result: Int32) throws(TLSError) {
    // SAFETY: the session is valid; the queue was cleared before the call it is asked about.
    let kind = unsafe SSL_get_error(session, result)
    if kind == SSL_ERROR_WANT_READ { return }
    let error = OpenSSLErrors.take()
    let reason: TLSError
    if error?.number == SSL_R_CERTIFICATE_VERIFY_FAILED {
      reason = .certificateRejected(reason: verificationResult())
    } else {
      reason = error?.sessionError ?? .protocolViolation(reason: "the session cannot go on")
    }
    failure = reason
    earlyPlaintext = []
    throw reason
  }

  private func verificationResult() -> String {
    // SAFETY: the answer is a static string that ends in a zero byte.
    unsafe String(cString: X509_verify_cert_error_string(SSL_get_verify_result(session)))
  }
}
