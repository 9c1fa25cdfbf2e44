/// Why TLS could not be set up, or why a connection ended; no text contains key material.
package enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The certificate chain is not valid PEM, or contains no certificate.
  case certificateUnreadable(reason: String)
  /// The private key is not valid PEM.
  case keyUnreadable(reason: String)
  /// The private key belongs to another certificate.
  case keyDoesNotMatchCertificate
  /// OpenSSL failed to create a context, a session or a certificate.
  case setUpFailed(reason: String)
  /// The peer offers application protocols, but none that this side supports.
  case noApplicationProtocol
  /// The peer supports no TLS version of this side.
  case unsupportedVersion
  /// The peer's certificate failed verification.
  case certificateRejected(reason: String)
  /// The peer ended the connection with an alert.
  case alertReceived(reason: String)
  /// The peer sent bytes that are not TLS, or not allowed in this state.
  case protocolViolation(reason: String)
  /// The peer's bytes ended without a close_notify, so the received data may be truncated.
  case truncated
  /// The session has failed or was closed earlier, and refuses further calls.
  case closed

  /// A full sentence for logs.
  package var description: String {
    switch self {
    case .certificateUnreadable(let reason):
      "The TLS certificate chain cannot be read: \(reason)."
    case .keyUnreadable(let reason): "The TLS private key cannot be read: \(reason)."
    case .keyDoesNotMatchCertificate:
      "The TLS private key does not belong to the certificate."
    case .setUpFailed(let reason): "TLS cannot be set up: \(reason)."
    case .noApplicationProtocol: "The peer offers no supported application protocol."
    case .unsupportedVersion: "The peer supports no common version of TLS."
    case .certificateRejected(let reason): "The peer's certificate was refused: \(reason)."
    case .alertReceived(let reason): "The peer ended TLS with an alert: \(reason)."
    case .protocolViolation(let reason): "The peer broke the TLS protocol: \(reason)."
    case .truncated: "The peer's bytes ended without a TLS close notice."
    case .closed: "The TLS session is closed."
    }
  }
}
