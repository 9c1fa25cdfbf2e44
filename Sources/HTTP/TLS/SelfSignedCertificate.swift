/// A self-signed certificate, created by a server on its first start.
package struct SelfSignedCertificate: Sendable {
  /// Certificate and private key, in PEM.
  package let identity: TLSIdentity

  /// Creates a P-256 key and a certificate for `localhost`, 127.0.0.1 and ::1.
  ///
  /// It is valid from one day before `now` (seconds since 1970), because clocks differ, until
  /// `days` days after it. Apple's systems refuse server certificates valid for more than 825 days,
  /// and browsers those of public authorities valid for more than 398. Errors: `setUpFailed`.
  package init(now: Int64, days: Int64 = 397) throws(TLSError) {
    let key = try CertificateMaker.makeKey()
    let certificate = try CertificateMaker.make(
      CertificateMaker.Contents(
        commonName: "localhost", start: now - 86_400, end: now + days * 86_400,
        extensions: [
          (.basicConstraints, "critical,CA:FALSE"), (.keyUsage, "critical,digitalSignature"),
          (.extendedKeyUsage, "serverAuth"),
          (.subjectAlternativeNames, "DNS:localhost,IP:127.0.0.1,IP:::1"),
        ]), for: key)
    identity = TLSIdentity(
      certificateChain: try PEM.text(certificate), privateKey: try PEM.text(key))
  }
}
