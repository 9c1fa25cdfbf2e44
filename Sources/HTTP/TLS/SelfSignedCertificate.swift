import COpenSSL

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
    OpenSSLErrors.clear()
    let key = try Self.makeKey()
    // SAFETY: the object owns the new certificate.
    guard let pointer = unsafe X509_new() else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    let certificate = unsafe Certificate(owning: pointer)
    let isFilled = Self.fill(certificate, key, from: now - 86_400, to: now + days * 86_400)
    // SAFETY: certificate, key and the static digest are valid during the call.
    guard isFilled, unsafe X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0 else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    identity = TLSIdentity(
      certificateChain: try PEM.text(certificate), privateKey: try PEM.text(key))
  }

  private static func makeKey() throws(TLSError) -> PrivateKey {
    // SAFETY: the generator is freed at the end; the returned object owns the key.
    let generator = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
    defer { unsafe EVP_PKEY_CTX_free(generator) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(generator) == 1,
      unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(generator, NID_X9_62_prime256v1) == 1,
      unsafe EVP_PKEY_keygen(generator, &key) == 1, let key = unsafe key
    else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    return unsafe PrivateKey(owning: key)
  }

  private static func fill(
    _ certificate: Certificate, _ key: PrivateKey, from start: Int64, to end: Int64
  ) -> Bool {
    let pointer = unsafe certificate.pointer
    let commonName = Array("localhost".utf8)
    // SAFETY: names and times returned belong to the certificate, which is valid throughout.
    let name = unsafe X509_get_subject_name(pointer)
    return unsafe X509_set_version(pointer, 2) == 1
      && setSerialNumber(certificate)
      && ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(start)) != nil
      && ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(end)) != nil
      && X509_set_pubkey(pointer, key.pointer) == 1
      && X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_UTF8, commonName, Int32(commonName.count), -1, 0) == 1
      && X509_set_issuer_name(pointer, name) == 1
      && add(NID_basic_constraints, "critical,CA:FALSE", to: certificate)
      && add(NID_key_usage, "critical,digitalSignature", to: certificate)
      && add(NID_ext_key_usage, "serverAuth", to: certificate)
      && add(NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1", to: certificate)
  }

  /// 127 random bits (RFC 5280, section 4.1.2.2: positive, 20 bytes at most).
  private static func setSerialNumber(_ certificate: Certificate) -> Bool {
    // SAFETY: the number is freed after its value is copied into the certificate.
    let number = unsafe BN_new()
    defer { unsafe BN_free(number) }
    return unsafe BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
      && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.pointer)) != nil
  }

  private static func add(_ kind: Int32, _ value: String, to certificate: Certificate) -> Bool {
    // SAFETY: the extension is freed after the certificate has copied it; without a configuration,
    // OpenSSL reads only `value`.
    guard let found = unsafe X509V3_EXT_conf_nid(nil, nil, kind, value) else { return false }
    defer { unsafe X509_EXTENSION_free(found) }
    return unsafe X509_add_ext(certificate.pointer, found, -1) == 1
  }
}
