import Bytes

/// The secret by which gateway and services authenticate each other's requests.
package struct InternalSecret: Sendable, CustomStringConvertible {
  private let text: SecretBytes

  /// Derives it from the root secret, which all processes of an installation read.
  package init(root: RootSecret) {
    var digits: [UInt8] = []
    digits.reserveCapacity(64)
    root.key(for: .internalSecret).withBytes { Hexadecimal.append($0, to: &digits) }
    text = SecretBytes(consuming: &digits)
  }

  /// Passes the header's value, 64 characters, to `body`.
  package func withHeaderValue<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    text.withBytes(body)
  }

  /// Whether the header's value equals the secret, in constant time.
  package func matches(_ value: Span<UInt8>) -> Bool {
    text.withBytes { areEqualInConstantTime($0, value) }
  }

  /// The type's name, without the secret.
  package var description: String { "InternalSecret" }
}
