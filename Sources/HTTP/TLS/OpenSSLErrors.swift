import COpenSSL

/// OpenSSL's queue of errors, which belongs to the thread.
enum OpenSSLErrors {
  /// Forgets what is queued: before each call whose outcome SSL_get_error is asked for.
  static func clear() { ERR_clear_error() }

  /// Takes the oldest error and empties the queue; nil if there is none.
  static func take() -> OpenSSLError? {
    let code = ERR_get_error()
    defer { ERR_clear_error() }
    return code == 0 ? nil : OpenSSLError(code: code)
  }

  /// The text of the oldest error, emptying the queue.
  static func takeReason() -> String { take()?.reason ?? "OpenSSL gives no reason" }
}

/// One error of OpenSSL.
struct OpenSSLError {
  let code: UInt

  /// The number within OpenSSL's library, such as SSL_R_UNSUPPORTED_PROTOCOL.
  var number: Int32 { copenssl_error_reason(code) }

  /// OpenSSL's words, which come from its tables and never from the peer.
  var reason: String {
    // SAFETY: the answer is nil or a static string that ends in a zero byte.
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
