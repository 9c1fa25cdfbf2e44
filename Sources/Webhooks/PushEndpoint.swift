import Cryptography

/// A browser's subscription at its push service: where messages are sent, and for whom they are
/// encrypted (RFC 8030, RFC 8291).
package struct PushEndpoint: Sendable {
  /// The maximum length of an address in bytes; known push services use less than 600.
  package static let lengthMax = 2000

  /// The address at the push service. Knowing it permits nothing without the sender's key.
  package let url: CallbackURL
  /// The keys of the browser.
  package let recipient: PushRecipient

  /// A subscription of its parts.
  package init(url: CallbackURL, recipient: PushRecipient) {
    self.url = url
    self.recipient = recipient
  }

  /// The origin of the push service (RFC 6454, 6.2), for which the sender identifies itself.
  package var origin: String {
    let (scheme, port) = url.isEncrypted ? ("https", ":443") : ("http", ":80")
    let host = url.host.lowercased()
    return "\(scheme)://\(host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)"
  }
}
