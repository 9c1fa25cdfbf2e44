import COpenSSL

/// A certificate that an authority issues: its names, and what its owner may do with it.
package struct CertificateOrder: Sendable, Hashable {
  /// The common name, which also is the first of the names.
  package let name: String
  /// Further DNS names and numeric addresses.
  package let alternatives: [String]
  /// Whether its owner may accept connections, and whether it may open them.
  package let isServer: Bool
  package let isClient: Bool

  /// Nil for a name that is neither a DNS name nor a numeric address, and without a use.
  package init?(
    name: String, alternatives: [String] = [], isServer: Bool = true, isClient: Bool = true
  ) {
    guard isServer || isClient, ([name] + alternatives).allSatisfy(Self.isName) else { return nil }
    self.name = name
    self.alternatives = alternatives
    self.isServer = isServer
    self.isClient = isClient
  }

  /// Letters, digits, `-`, `.` and `:`, so that a name ends neither its field nor the list.
  private static func isName(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
        default: false
        }
      }
  }

  fileprivate var extensions: [(kind: CertificateMaker.Extension, value: String)] {
    let uses = (isServer ? ["serverAuth"] : []) + (isClient ? ["clientAuth"] : [])
    let names = ([name] + alternatives).map { (Self.isAddress($0) ? "IP:" : "DNS:") + $0 }
    return [
      (.basicConstraints, "critical,CA:FALSE"), (.keyUsage, "critical,digitalSignature"),
      (.extendedKeyUsage, uses.joined(separator: ",")), (.subjectKey, "hash"),
      (.authorityKey, "keyid:always"),
      (.subjectAlternativeNames, names.joined(separator: ",")),
    ]
  }

  private static func isAddress(_ name: String) -> Bool {
    // SAFETY: the parsed address is freed at once.
    guard let address = unsafe a2i_IPADDRESS(name) else {
      OpenSSLErrors.clear()
      return false
    }
    unsafe ASN1_OCTET_STRING_free(address)
    return true
  }
}

/// A private authority: certificate and key, which sign the certificates of an installation.
///
/// Its certificate can sign no further authority. Two authorities have different names and key
/// identifiers, so that a verifier may trust both.
package struct CertificateAuthority: Sendable {
  /// Certificate and private key, in PEM.
  package let identity: TLSIdentity

  /// Creates an authority that is valid from one day before `now` (seconds since 1970) until `days`
  /// days after it. Errors: `setUpFailed`.
  package init(named name: String, now: Int64, days: Int64) throws(TLSError) {
    let key = try CertificateMaker.makeKey()
    let certificate = try CertificateMaker.make(
      CertificateMaker.Contents(
        commonName: name, start: now - 86_400, end: now + days * 86_400,
        extensions: [
          (.basicConstraints, "critical,CA:TRUE,pathlen:0"),
          (.keyUsage, "critical,keyCertSign,cRLSign"), (.subjectKey, "hash"),
          (.authorityKey, "keyid:always"),
        ]), for: key)
    identity = TLSIdentity(
      certificateChain: try PEM.text(certificate), privateKey: try PEM.text(key))
  }

  /// The authority of an identity, which is read when it signs.
  package init(_ identity: TLSIdentity) { self.identity = identity }

  /// Creates a key and a certificate for it, valid from one hour before `now`, because clocks
  /// differ, until `seconds` after it.
  ///
  /// Errors: `certificateUnreadable`, `keyUnreadable`, `setUpFailed`.
  package func issue(
    _ order: CertificateOrder, now: Int64, seconds: Int64
  ) throws(TLSError) -> TLSIdentity {
    let key = try CertificateMaker.makeKey()
    let issuer = try (
      certificate: PEM.certificates(identity.certificateChain)[0],
      key: PEM.privateKey(identity.privateKey)
    )
    let certificate = try CertificateMaker.make(
      CertificateMaker.Contents(
        commonName: order.name, start: now - 3600, end: now + seconds,
        extensions: order.extensions), for: key, signedBy: issuer)
    return TLSIdentity(
      certificateChain: try PEM.text(certificate), privateKey: try PEM.text(key))
  }
}
