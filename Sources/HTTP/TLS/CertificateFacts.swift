import COpenSSL

/// What a program reads from certificates in PEM without a connection.
package enum CertificateFacts {
  /// The validity of the first certificate, in seconds since 1970.
  ///
  /// Errors: `certificateUnreadable`.
  package static func validity(of chain: [UInt8]) throws(TLSError) -> Range<Int64> {
    try validity(of: try PEM.certificates(chain)[0])
  }

  /// The end of the certificate that ends last, in seconds since 1970.
  ///
  /// Errors: `certificateUnreadable`.
  package static func lastEnd(of certificates: [UInt8]) throws(TLSError) -> Int64 {
    var last = Int64.min
    for certificate in try PEM.certificates(certificates) {
      last = max(last, try validity(of: certificate).upperBound)
    }
    return last
  }

  /// Checks that the first certificate of a chain is signed by one of the authorities and has this
  /// DNS name or numeric address, whatever the time is.
  ///
  /// Errors: `certificateUnreadable`, `certificateRejected`, `setUpFailed`.
  package static func verify(
    _ chain: [UInt8], by authorities: [UInt8], for name: String
  ) throws(TLSError) {
    let certificate = try PEM.certificates(chain)[0]
    let trusted = try PEM.certificates(authorities)
    OpenSSLErrors.clear()
    // SAFETY: store and context are freed at the end; the store takes its own references, and the
    // context refers to both only until then.
    let store = unsafe X509_STORE_new()
    defer { unsafe X509_STORE_free(store) }
    for authority in trusted { _ = unsafe X509_STORE_add_cert(store, authority.pointer) }
    let context = unsafe X509_STORE_CTX_new()
    defer { unsafe X509_STORE_CTX_free(context) }
    guard unsafe X509_STORE_CTX_init(context, store, certificate.pointer, nil) == 1 else {
      throw .setUpFailed(reason: OpenSSLErrors.takeReason())
    }
    let parameters = unsafe X509_STORE_CTX_get0_param(context)
    let flags = UInt(X509_V_FLAG_NO_CHECK_TIME)
    guard unsafe X509_VERIFY_PARAM_set_flags(parameters, flags) == 1,
      unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
        || X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
    else { throw .setUpFailed(reason: OpenSSLErrors.takeReason()) }
    guard unsafe X509_verify_cert(context) == 1 else {
      let code = unsafe X509_STORE_CTX_get_error(context)
      let reason = unsafe String(cString: X509_verify_cert_error_string(Int(code)))
      OpenSSLErrors.clear()
      throw .certificateRejected(reason: reason)
    }
  }

  private static func validity(of certificate: Certificate) throws(TLSError) -> Range<Int64> {
    // SAFETY: the times belong to the certificate.
    let start = unsafe seconds(X509_get0_notBefore(certificate.pointer))
    let end = unsafe seconds(X509_get0_notAfter(certificate.pointer))
    guard let start, let end, start < end else {
      throw .certificateUnreadable(reason: "it has no period of validity")
    }
    return start..<end
  }

  /// A time in seconds since 1970.
  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    // SAFETY: the beginning of 1970 is freed at the end, and the caller's time is only read.
    let origin = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_TIME_free(origin) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard unsafe ASN1_TIME_diff(&days, &seconds, origin, time) == 1 else { return nil }
    return Int64(days) * 86_400 + Int64(seconds)
  }
}
