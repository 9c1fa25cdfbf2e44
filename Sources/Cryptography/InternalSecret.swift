/// The secret by which gateway and services authenticate each other's requests.
package struct InternalSecret: Sendable, CustomStringConvertible {
  private let texts: RootDerived<SecretBytes>

  /// Derives it from the root secret, which all processes of an installation read.
  package init(root: RootSecret) { texts = root.internalTexts }

  /// Passes the header's value, 64 characters under the root secret in use, to `body`.
  package func withHeaderValue<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    texts.current.withBytes(body)
  }

  /// Whether the header's value equals that of any root secret of the file; each comparison takes
  /// constant time.
  package func matches(_ value: Span<UInt8>) -> Bool {
    var isOurs = false
    for text in texts.all where text.withBytes({ areEqualInConstantTime($0, value) }) {
      isOurs = true
    }
    return isOurs
  }

  /// The type's name, without the secret.
  package var description: String { "InternalSecret" }
}
