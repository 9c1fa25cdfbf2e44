import COpenSSL

/// Creates P-256 keys and certificates for them.
enum CertificateMaker {
  /// The extensions in use.
  enum Extension {
    case basicConstraints, keyUsage, extendedKeyUsage, subjectAlternativeNames
    /// The identifiers of the key and of its issuer's key (RFC 5280, sections 4.2.1.1 and 4.2.1.2).
    case subjectKey, authorityKey

    fileprivate var number: Int32 {
      switch self {
      case .basicConstraints: NID_basic_constraints
      case .keyUsage: NID_key_usage
      case .extendedKeyUsage: NID_ext_key_usage
      case .subjectAlternativeNames: NID_subject_alt_name
      case .subjectKey: NID_subject_key_identifier
      case .authorityKey: NID_authority_key_identifier
      }
    }
  }

  /// What a certificate states, beside its key and issuer.
  struct Contents {
    var commonName: String
    /// The validity, in seconds since 1970.
    var start: Int64
    var end: Int64
    /// Extensions in the syntax of x509v3_config(5).
    var extensions: [(kind: Extension, value: String)]
  }

  /// A new key.
  static func makeKey() throws(TLSError) -> PrivateKey {
    OpenSSLErrors.clear()
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

  /// A certificate of a key, signed by `issuer`, or by the key itself without one.
  static func make(
    _ contents: Contents, for key: PrivateKey,
    signedBy issuer: (certificate: Certificate, key: PrivateKey)? = nil
  ) throws(TLSError) -> Certificate {
    OpenSSLErrors.clear()
    // SAFETY: the object owns the new certificate.
    guard let pointer = unsafe X509_new() else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    let certificate = unsafe Certificate(owning: pointer)
    let issuer = issuer ?? (certificate, key)
    let isFilled = fill(certificate, contents, key, issuer: issuer.certificate)
    // SAFETY: certificate, key and the static digest are valid during the call.
    guard isFilled, unsafe X509_sign(certificate.pointer, issuer.key.pointer, EVP_sha256()) > 0
    else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    return certificate
  }

  private static func fill(
    _ certificate: Certificate, _ contents: Contents, _ key: PrivateKey, issuer: Certificate
  ) -> Bool {
    let pointer = unsafe certificate.pointer
    let commonName = Array(contents.commonName.utf8)
    // SAFETY: names and times returned belong to the certificates, which are valid throughout.
    let name = unsafe X509_get_subject_name(pointer)
    return unsafe X509_set_version(pointer, 2) == 1
      && setSerialNumber(certificate)
      && ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(contents.start)) != nil
      && ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(contents.end)) != nil
      && X509_set_pubkey(pointer, key.pointer) == 1
      && X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_UTF8, commonName, Int32(commonName.count), -1, 0) == 1
      && X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)) == 1
      && contents.extensions.allSatisfy { kind, value in
        unsafe copenssl_certificate_extend(pointer, issuer.pointer, kind.number, value) == 1
      }
  }

  /// 127 random bits (RFC 5280, section 4.1.2.2: positive, 20 bytes at most).
  private static func setSerialNumber(_ certificate: Certificate) -> Bool {
    // SAFETY: the number is freed after its value is copied into the certificate.
    let number = unsafe BN_new()
    defer { unsafe BN_free(number) }
    return unsafe BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
      && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.pointer)) != nil
  }
}
