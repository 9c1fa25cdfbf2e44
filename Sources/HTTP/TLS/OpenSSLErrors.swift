import COpenSSL

/// OpenSSL's error queue, which is local to the thread.
enum OpenSSLErrors {
  /// Empties the queue; required before each call whose result is passed to SSL_get_error.
  static func clear() { ERR_clear_error() }

  /// Returns the oldest error and empties the queue; nil if it is empty.
  static func take() -> OpenSSLError? {
    let code = ERR_get_error()
    defer { ERR_clear_error() }
    return code == 0 ? nil : OpenSSLError(code: code)
  }

  /// Returns the text of the oldest error and empties the queue.
  static func takeReason() -> String { take()?.reason ?? "no reason reported by OpenSSL" }
}

/// One error of OpenSSL.
struct OpenSSLError {
  let code: UInt

  /// The reason code of OpenSSL, such as SSL_R_UNSUPPORTED_PROTOCOL.
  var number: Int32 { copenssl_error_reason(code) }

  /// OpenSSL's text, which comes from its tables and never from the peer.
  var reason: String {
    // SAFETY: the result is nil or a static, NUL-terminated string.
    guard let text = unsafe ERR_reason_error_string(code) else { return "unknown error" }
    return unsafe String(cString: text)
  }

  /// What this error means for a session.
  var sessionError: TLSError {
    switch number {
    case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
      .noApplicationProtocol
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_UNKNOWN_PROTOCOL, SSL_R_WRONG_SSL_VERSION,
      SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW:
      .unsupportedVersion
    case 1000..<1120: .alertReceived(reason: reason)
    default: .protocolViolation(reason: reason)
    }
  }
}
